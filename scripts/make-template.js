// Plain JavaScript, like the other parts of `npm ci`: it makes the cluster of the embedded database that the first start
// copies, which spares it initdb and the migrations. Where none can be made, the first start takes the long way.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

const make = `
  const { makeTemplate } = await import(${JSON.stringify(new URL('../server/db/embedded/make-template.ts', import.meta.url))})
  await makeTemplate().catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })`

const node = createRequire(import.meta.url).resolve('node/bin/node')
const { status } = spawnSync(node, ['--input-type=module', '--eval', make], { stdio: 'inherit' })
if (status !== 0)
  console.error('No database was made ahead; the first start makes it, which takes some seconds longer.')
