import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '#db/make-folder.ts'
import { writeFileAtomically } from '#surfaces/https/write-file-atomically.ts'

/** The demo organization with what opens it; there is no password that every installation has. */
export interface Demo {
  organization_id: string
  /** Organization token with every scope and category. */
  token: string
  /** Sign-in of the owner. */
  email: string
  password: string
}

const names = {
  organization_id: 'DEMO_ORGANIZATION_ID',
  token: 'STINT_TOKEN',
  email: 'DEMO_EMAIL',
  password: 'DEMO_PASSWORD',
} as const satisfies Record<keyof Demo, string>

/** Writes the credentials as lines that a shell reads (`. data/demo-credentials`), for the operator only. */
export async function writeDemo(file: string, demo: Demo): Promise<void> {
  makeFolder(dirname(file))
  const line = (field: keyof Demo) => `${names[field]}=${demo[field]}\n`
  const text = `# The demo organization of Stint: whoever reads this file can use it.\n${fields.map(line).join('')}`
  await writeFileAtomically(file, text, 0o600)
}

/** The credentials in the file, or null where there is none or it is not whole. */
export async function readDemo(file: string): Promise<Demo | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const values = fields.map((field) => [field, new RegExp(`^${names[field]}=(\\S+)$`, 'm').exec(text)?.[1]] as const)
  // The cast holds because each field has a text.
  return values.every(([, value]) => value !== undefined) ? (Object.fromEntries(values) as unknown as Demo) : null
}

export async function forgetDemo(file: string): Promise<void> {
  await rm(file, { force: true })
}

// The cast holds for an object that is written down here, without further members.
const fields = Object.keys(names) as (keyof Demo)[]
