import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseEnv } from 'node:util'
import type { Caller } from '#core/caller.ts'
import { Problem, unauthenticated } from '#core/problems.ts'
import type { Database } from '#db/database.ts'
import { makeFolder } from '#db/make-folder.ts'
import { lockAccounts } from '#identity/account.store.ts'
import { organizationScopes, sensitiveCategories } from '#identity/scopes.ts'
import { createAdministrator, createOperatorToken } from '#operator/administration.ts'
import { anyOrganization } from '#resources/organizations/index.ts'
import { writeFileAtomically } from '#surfaces/https/write-file-atomically.ts'
import type { Storage } from '../open-storage.ts'
import type { Service } from '../service.ts'
import { fillSandbox, second_person, withinTransaction } from './fill.ts'
import { start } from './story.ts'

const organization = {
  name: 'Harbour Pine',
  country: 'DE',
  default_currency: 'EUR',
  timezone: 'Europe/Berlin',
  is_sandbox: true,
}
const owner = { email: 'nora@harbour.example', name: 'Nora Pine' }
/**
 * Fills a new, empty database with one sandbox organization by calling the operations, so that events, audit and terms
 * arise as in life. All of it is one transaction: a start that is killed leaves nothing behind, and the next one begins
 * anew. The credentials are in `file` before the commit, so that none are lost when the process ends right after it.
 * Answers null, and changes nothing, for a database that holds an organization whose credentials are not in the file.
 */
export async function seedDemo({ storage, service }: { storage: Storage; service: Service }, file: string) {
  if (!(await storage.isNew())) return keptDemo(service, file)
  return storage.database.transaction({ role: 'lookup' }, async (tx): Promise<Demo | null> => {
    await lockAccounts(tx)
    // Another process was first.
    if (await anyOrganization(tx)) return null
    tx.keepTime(start)
    const { demo, caller } = await createDemoOrganization(withinTransaction(storage.database, tx))
    await fillSandbox(service.runtime, tx, caller)
    await writeDemo(file, demo)
    return demo
  })
}

/** The credentials of an earlier start, while they are in the file and good. */
async function keptDemo({ authenticate }: Service, file: string): Promise<Demo | null> {
  const demo = await readDemo(file)
  if (!demo) return null
  try {
    await authenticate(`Bearer ${demo.token}`, null)
    return demo
  } catch (error) {
    if (!(error instanceof Problem) || error.definition !== unauthenticated.definition) throw error
    await rm(file, { force: true })
    return null
  }
}

async function createDemoOrganization(database: Database): Promise<{ demo: Demo; caller: Caller }> {
  const password = randomBytes(12).toString('base64url')
  const { organization_id, user_id } = await createAdministrator(database, { ...owner, password, organization })
  await createAdministrator(database, { ...second_person, password, organization })
  const { token, id: credential_id } = await createOperatorToken(database, {
    organization: organization_id,
    name: 'demo',
    scopes: organizationScopes,
    sensitive_data: sensitiveCategories,
    expires_at: null,
  })
  const caller: Caller = {
    ...{ kind: 'personal', organization_id, is_sandbox: true, credential_id, user_id, role: 'owner', expires_at: null },
    actor: { kind: 'user', id: user_id, name: owner.name },
    scopes: new Set(organizationScopes),
    sensitive_data: new Set(sensitiveCategories),
  }
  return { demo: { organization_id, token, email: owner.email, password }, caller }
}

/**
 * The demo organization with what opens it: an organization token with every scope and category, and the sign-in of the
 * owner. There is no password that every installation has.
 */
export type Demo = Record<'organization_id' | 'token' | 'email' | 'password', string>

/** Writes the credentials as lines that a shell reads (`. data/demo-credentials`), for the operator only. */
async function writeDemo(file: string, { organization_id, token, email, password }: Demo): Promise<void> {
  makeFolder(dirname(file))
  const text = `# The demo organization of Stint: whoever reads this file can use it.
DEMO_ORGANIZATION_ID=${organization_id}
STINT_TOKEN=${token}
DEMO_EMAIL=${email}
DEMO_PASSWORD=${password}
# ${second_person.email} approves payments, and has the same password.
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
