import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseEnv } from 'node:util'
import { invoke, type Runtime } from '#core/invoke.ts'
import { Problem, unauthenticated } from '#core/problems.ts'
import { addDays } from '#core/values.ts'
import { type Database, type Role, roleNames, sql, type Transaction } from '#db/database.ts'
import { makeFolder } from '#db/make-folder.ts'
import { lockAccounts } from '#identity/account.store.ts'
import { createAuthentication, createCredentialLookUps } from '#identity/resolve-caller.ts'
import { organizationScopes, sensitiveCategories } from '#identity/scopes.ts'
import { createAdministrator, createOperatorToken } from '#operator/administration.ts'
import { anyOrganization } from '#resources/organizations/index.ts'
import { writeFileAtomically } from '#surfaces/https/write-file-atomically.ts'
import type { Storage } from '../open-storage.ts'
import type { Service } from '../service.ts'
import { amendments, contracts, type DemoAmendment, type Fate } from './contracts.ts'

const organization = {
  name: 'Harbour Pine',
  country: 'DE',
  default_currency: 'EUR',
  timezone: 'Europe/Berlin',
  is_sandbox: true,
}
const owner = { email: 'nora@harbour.example', name: 'Nora Pine' }
const notice_days = 28

/** Performs one operation as the demo's owner or, with a token, as a worker; answers its body. */
type Act = (operation: string, input: Record<string, unknown>, token?: string) => Promise<Record<string, unknown>>

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
    const database = withinTransaction(storage.database, tx)
    const demo = await createDemoOrganization(database)
    // By the clock of the database, as every operation counts its days.
    await playStory(actAs(demo.token, { ...service.runtime, database }), tx.now.slice(0, 10))
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

async function playStory(act: Act, today: string): Promise<void> {
  const drafted = new Map<string, { contract_id: string; worker_id: string }>()
  for (const [external_id, person, fate, type, starts_in_days, title, compensation, others] of contracts) {
    const [first_name, last_name, country] = person.split(' ')
    const worker = { first_name, last_name, country, email: `${first_name?.toLowerCase()}@harbour.example` }
    const start_date = addDays(today, starts_in_days)
    const terms = { type, title, external_id, worker, start_date, compensation, ...others }
    const { id, worker_id } = await act('contracts.create', terms)
    const contract = { contract_id: String(id), worker_id: String(worker_id) }
    drafted.set(external_id, contract)
    await play(act, contractSteps(today)[fate], { contract_id: id }, contract.worker_id)
  }
  for (const { contract, fate, terms, starts_in_days } of amendments) {
    const { contract_id, worker_id = '' } = drafted.get(contract) ?? {}
    const effective_date = starts_in_days === null ? null : addDays(today, starts_in_days)
    const { id } = await act('amendments.create', { contract_id, effective_date, terms })
    await play(act, amendmentSteps[fate], { contract_id, amendment_id: id }, worker_id)
  }
}

type Step = [operation: string, input?: Record<string, unknown>, by?: 'owner' | 'worker']

function contractSteps(today: string): Record<Fate, Step[]> {
  const sign: Step = ['contracts.sign', { signer_name: owner.name }]
  const invited: Step[] = [sign, ['contracts.invite']]
  const active: Step[] = [sign, ['sandbox.sign_contract']]
  const completion_date = addDays(today, notice_days)
  return {
    draft: [],
    invited,
    active,
    leaving: [...active, ['contracts.terminate', { type: 'resignation', completion_date }]],
    completed: [...active, ['contracts.terminate', { type: 'end_of_contract' }]],
    terminated: [...active, ['contracts.terminate', { type: 'termination' }]],
    cancelled: [['contracts.cancel'], ['contracts.archive']],
    rejected: [...invited, ['worker.reject_contract', { reason: 'rate too low' }, 'worker']],
  }
}

const signAmendment: Step = ['amendments.sign', { signer_name: owner.name }]

const amendmentSteps: Record<DemoAmendment['fate'], Step[]> = {
  draft: [],
  signed_by_client: [signAmendment],
  approved: [signAmendment, ['sandbox.sign_amendment']],
  declined: [signAmendment, ['worker.decline_amendment', {}, 'worker']],
  withdrawn: [['amendments.withdraw']],
}

async function play(act: Act, steps: Step[], path: Record<string, unknown>, person_id: string): Promise<void> {
  for (const [operation, input, by] of steps) {
    const worker = by === 'worker' ? await act('people.create_worker_token', { person_id }) : null
    await act(operation, { ...path, ...input }, worker ? String(worker.token) : undefined)
  }
}

async function createDemoOrganization(database: Database): Promise<Demo> {
  const password = randomBytes(12).toString('base64url')
  const { organization_id } = await createAdministrator(database, { ...owner, password, organization })
  const { token } = await createOperatorToken(database, {
    organization: organization_id,
    name: 'demo',
    scopes: organizationScopes,
    sensitive_data: sensitiveCategories,
    expires_at: null,
  })
  return { organization_id, token, email: owner.email, password }
}

function actAs(owner_token: string, runtime: Runtime): Act {
  const uses = { note: () => undefined }
  const authenticate = createAuthentication({ ...runtime, uses, lookUps: createCredentialLookUps() }, 'rest')
  return async (operation, input, token = owner_token) => {
    const { body } = await invoke(runtime, {
      operation: runtime.registry.operation(operation),
      caller: await authenticate(`Bearer ${token}`, null),
      input,
      from_text: false,
      request_id: 'demo',
      trace_id: null,
      address: null,
    })
    // The cast holds because every operation used here answers an object.
    return body as Record<string, unknown>
  }
}

/**
 * The database from within one transaction of it: whatever is called with it commits together or not at all. Each
 * transaction inside takes on its own role and organization for the rest, so they come one after the other.
 */
function withinTransaction(database: Database, tx: Transaction): Database {
  const assume = (role: Role, organization_id = '') =>
    tx.run(sql`
      select set_config('role', ${roleNames[role]}, true), set_config('app.organization_id', ${organization_id}, true)`)
  return {
    ...database,
    async transaction({ role, organization_id }, work) {
      await assume(role, organization_id)
      return work(tx)
    },
    async row(statement) {
      await assume('owner')
      return tx.row(statement)
    },
  }
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
