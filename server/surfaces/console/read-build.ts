import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { EncodedFile } from '../content-encoding.ts'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export function isConsoleBuilt(folder: string): boolean {
  return existsSync(join(folder, 'auth.html'))
}

/**
 * The built console by path, read once: a few hundred kilobytes, and no request ever names a file of the disk. Null when
 * it was not built.
 */
export function readBuild(folder: string): ReadonlyMap<string, EncodedFile> | null {
  if (!isConsoleBuilt(folder)) return null
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const read = (name: string) => (names.includes(name) ? readFileSync(join(folder, name)) : null)
  const files = names.flatMap((name): [string, EncodedFile][] => {
    const type = types[extname(name)]
    const plain = type ? read(name) : null
    return type && plain ? [[name, { type, plain, br: read(`${name}.br`), gzip: read(`${name}.gz`) }]] : []
  })
  return new Map(files)
}
