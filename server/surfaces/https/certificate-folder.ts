import { chmod, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '#db/make-folder.ts'
import type { CertifiedKey } from './certificate-authority.ts'
import { writeFileAtomically } from './write-file-atomically.ts'

export interface CertificateFolder {
  ca_cert?: string
  ca_key?: string
  cert?: string
  key?: string
}

/** Keys before certificates: a pair cut in half by a crash then reads as one that does not match. */
const files = {
  ca_key: { name: 'ca.key', mode: 0o600 },
  ca_cert: { name: 'ca.pem', mode: 0o644 },
  key: { name: 'key.pem', mode: 0o600 },
  cert: { name: 'cert.pem', mode: 0o644 },
} as const
type Part = keyof typeof files

export const authorityFile = (folder: string) => join(folder, files.ca_cert.name)

/** What is there; a missing file is absent, an unreadable one throws. */
export async function readCertificateFolder(folder: string): Promise<CertificateFolder> {
  const parts = Object.keys(files) as Part[] // Object.keys forgets the literal type
  const texts = await Promise.all(parts.map((part) => readIfPresent(join(folder, files[part].name))))
  return Object.fromEntries(parts.flatMap((part, i) => (texts[i] === undefined ? [] : [[part, texts[i]]])))
}

export async function writeServerCertificate(folder: string, server: CertifiedKey): Promise<void> {
  await writeParts(folder, { key: server.key, cert: server.cert })
}

/**
 * Makes the folder appear with all its files at once. Of several processes starting together one wins; false tells the
 * others, and whoever finds a folder with content, that nothing was changed.
 */
export async function createCertificateFolder(folder: string, content: Required<CertificateFolder>): Promise<boolean> {
  makeFolder(dirname(folder))
  const draft = await mkdtemp(`${folder}.new-`)
  try {
    await writeParts(draft, content)
    await rename(draft, folder)
    return true
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (occupied_codes.includes(errorCode(error))) return false
    throw error
  }
}

/** Puts new files over damaged or outlived ones. */
export async function replaceCertificateFolder(folder: string, content: Required<CertificateFolder>): Promise<void> {
  await chmod(folder, 0o700)
  await writeParts(folder, content)
}

async function writeParts(folder: string, content: CertificateFolder): Promise<void> {
  for (const [part, { name, mode }] of Object.entries(files)) {
    const text = content[part as Part] // Object.entries forgets the literal type
    if (text !== undefined) await writeFileAtomically(join(folder, name), text, mode)
  }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** What `rename` says when the target is a folder with content: Linux, macOS and BSD, Windows. */
const occupied_codes = ['ENOTEMPTY', 'EEXIST', 'EPERM']

const errorCode = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')
