import { makeTemplate } from '../server/db/embedded/make-template.ts'

// The cluster of the embedded database that a first start copies.
await makeTemplate().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
