import { createHash } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Fastify from 'fastify'
import { scalar_file, scalar_folder, scalar_sha256 } from '#surfaces/reference/mount-reference.ts'

/**
 * Takes the script of the API reference out of its package, which hands it out as a route only, and lays it where the
 * service finds it. Another script than the one whose digest stands in the source is refused.
 */
async function buildReference(folder = scalar_folder): Promise<void> {
  const app = Fastify()
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  await app.register(scalar, { routePrefix: '/', configuration: { url: '/openapi.json' } })
  const { rawPayload } = await app.inject('/js/scalar.js')
  const found = createHash('sha256').update(rawPayload).digest('base64')
  if (found !== scalar_sha256) throw new Error(`the script of the API reference is another one: sha256 ${found}`)
  await mkdir(folder, { recursive: true })
  await write(folder, `${scalar_file}.gz`, await promisify(gzip)(rawPayload, { level: 9 }))
  // The highest quality takes 7 s instead of 0.6 s, for a tenth less.
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
  await write(folder, `${scalar_file}.br`, await promisify(brotliCompress)(rawPayload, options))
  await write(folder, scalar_file, rawPayload)
}

/** Renamed when complete, so that a service that starts meanwhile reads no half. */
async function write(folder: string, name: string, bytes: Buffer): Promise<void> {
  const path = join(folder, name)
  await writeFile(`${path}.new`, bytes)
  await rename(`${path}.new`, path)
}

// Another failure than the package's absence (`npm ci --omit=dev`) is told; none of them makes an installation worth less.
await buildReference().catch(({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'ERR_MODULE_NOT_FOUND') return
  console.error(`The API reference was not copied; /docs lists the raw documents instead (${message}).`)
})
