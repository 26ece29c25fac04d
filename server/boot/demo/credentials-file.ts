import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseEnv } from 'node:util'
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

/** Writes the credentials as lines that a shell reads (`. data/demo-credentials`), for the operator only. */
export async function writeDemo(file: string, { organization_id, token, email, password }: Demo): Promise<void> {
  makeFolder(dirname(file))
  const text = `# The demo organization of Stint: whoever reads this file can use it.
DEMO_ORGANIZATION_ID=${organization_id}
STINT_TOKEN=${token}
DEMO_EMAIL=${email}
DEMO_PASSWORD=${password}
`
  await writeFileAtomically(file, text, 0o600)
}

/** The credentials in the file, or null where there is none or it is not whole. */
export async function readDemo(file: string): Promise<Demo | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const { DEMO_ORGANIZATION_ID, STINT_TOKEN, DEMO_EMAIL, DEMO_PASSWORD } = parseEnv(text)
  if (!DEMO_ORGANIZATION_ID || !STINT_TOKEN || !DEMO_EMAIL || !DEMO_PASSWORD) return null
  return { organization_id: DEMO_ORGANIZATION_ID, token: STINT_TOKEN, email: DEMO_EMAIL, password: DEMO_PASSWORD }
}

export async function forgetDemo(file: string): Promise<void> {
  await rm(file, { force: true })
}
