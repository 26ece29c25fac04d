import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EncodedFile } from '../http-server.ts'

/** Digest of the one script that is served and that browsers run: `@scalar/fastify-api-reference` 1.72.1. */
export const scalar_sha256 = 'vwkQBr3Dr2Bnr3fC9TSBLj5jPpSpTocTgGn1cPM7diw='

/** The folder where `scripts/build-reference.ts` leaves the script, beside it what it compressed. */
export const scalar_folder = fileURLToPath(new URL('../../../node_modules/.cache/stint/reference', import.meta.url))
export const scalar_file = 'scalar.js'

/** The script of the API reference; null where it was not copied, or is not the one we looked at. */
export function readScalar(folder: string): EncodedFile | null {
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name)) : null)
  const plain = read(scalar_file)
  if (!plain || createHash('sha256').update(plain).digest('base64') !== scalar_sha256) return null
  const type = 'text/javascript; charset=utf-8'
  return { type, plain, br: read(`${scalar_file}.br`), gzip: read(`${scalar_file}.gz`) }
}
