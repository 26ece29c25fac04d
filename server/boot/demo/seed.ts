import { randomBytes } from 'node:crypto'
import type { Caller } from '#core/caller.ts'
import { invoke, type Runtime } from '#core/invoke.ts'
import { Problem, unauthenticated } from '#core/problems.ts'
import { addDays } from '#core/values.ts'
import { type Database, type Role, roleNames, sql, type Transaction } from '#db/database.ts'
import { createCredentialLookUps } from '#identity/credential-look-ups.ts'
import { createAuthentication } from '#identity/resolve-caller.ts'
import { organizationScopes, sensitiveCategories } from '#identity/scopes.ts'
import { lockAccounts } from '#identity/set-up-links/index.ts'
import { createAdministrator, createOperatorToken } from '#operator/administration.ts'
import { anyOrganization } from '#resources/organizations/index.ts'
import type { Storage } from '../open-storage.ts'
import type { Service } from '../service.ts'
import { amendments, contracts, type DemoAmendment, type DemoContract, people } from './contracts.ts'
import { type Demo, forgetDemo, readDemo, writeDemo } from './credentials-file.ts'

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
    await forgetDemo(file)
    return null
  }
}

async function playStory(act: Act, today: string): Promise<void> {
  const ids = new Map<string, string>()
  for (const contract of contracts) ids.set(contract.key, await playContract(act, contract, today))
  for (const amendment of amendments) await playAmendment(act, amendment, ids.get(amendment.contract) ?? '', today)
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
  const uses = { note: () => undefined, flush: async () => undefined }
  const authenticate = createAuthentication({ ...runtime, uses, lookUps: createCredentialLookUps() }, 'rest')
  const callers = new Map<string, Promise<Caller>>()
  const callerOf = (token: string) => {
    const caller = callers.get(token) ?? authenticate(`Bearer ${token}`, null)
    callers.set(token, caller)
    return caller
  }
  return async (operation, input, token = owner_token) => {
    const { body } = await invoke(runtime, {
      operation: runtime.registry.operation(operation),
      caller: await callerOf(token),
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

async function playContract(act: Act, demo: DemoContract, today: string): Promise<string> {
  const { key, worker, type, title, starts_in_days, timezone, compensation, tax } = demo
  const { last_name, country } = people[worker]
  const drafted = await act('contracts.create', {
    type,
    title,
    external_id: key,
    worker: {
      first_name: `${worker.slice(0, 1).toUpperCase()}${worker.slice(1)}`,
      last_name,
      email: `${worker}@harbour.example`,
      country,
    },
    start_date: addDays(today, starts_in_days),
    compensation,
    ...(timezone && { timezone }),
    ...(tax && { tax }),
  })
  const contract_id = String(drafted.id)
  await fates[demo.fate](act, contract_id, drafted, today)
  return contract_id
}

type Play = (act: Act, contract_id: string, drafted: Record<string, unknown>, today: string) => Promise<unknown>

const signBoth: Play = async (act, contract_id) => {
  await act('contracts.sign', { contract_id, signer_name: owner.name })
  await act('sandbox.sign_contract', { contract_id })
}

const fates: Record<DemoContract['fate'], Play> = {
  draft: async () => undefined,
  invited: async (act, contract_id) => {
    await act('contracts.sign', { contract_id, signer_name: owner.name })
    await act('contracts.invite', { contract_id })
  },
  active: signBoth,
  leaving: async (act, contract_id, drafted, today) => {
    await signBoth(act, contract_id, drafted, today)
    await act('contracts.terminate', { contract_id, type: 'resignation', completion_date: addDays(today, notice_days) })
  },
  completed: async (act, contract_id, drafted, today) => {
    await signBoth(act, contract_id, drafted, today)
    await act('contracts.terminate', { contract_id, type: 'end_of_contract' })
  },
  terminated: async (act, contract_id, drafted, today) => {
    await signBoth(act, contract_id, drafted, today)
    await act('contracts.terminate', { contract_id, type: 'termination' })
  },
  cancelled: async (act, contract_id) => {
    await act('contracts.cancel', { contract_id })
    await act('contracts.archive', { contract_id })
  },
  rejected: async (act, contract_id, drafted, today) => {
    await fates.invited(act, contract_id, drafted, today)
    const token = await workerToken(act, String(drafted.worker_id))
    await act('worker.reject_contract', { contract_id, reason: 'rate too low' }, token)
  },
}

async function workerToken(act: Act, person_id: string): Promise<string> {
  const { token } = await act('people.create_worker_token', { person_id })
  return String(token)
}

async function playAmendment(act: Act, demo: DemoAmendment, contract_id: string, today: string): Promise<void> {
  const { terms, starts_in_days, fate } = demo
  const effective_date = starts_in_days === null ? null : addDays(today, starts_in_days)
  const { id } = await act('amendments.create', { contract_id, effective_date, terms })
  const path = { contract_id, amendment_id: id }
  if (fate === 'draft') return
  if (fate === 'withdrawn') {
    await act('amendments.withdraw', path)
    return
  }
  await act('amendments.sign', { ...path, signer_name: owner.name })
  if (fate === 'approved') await act('sandbox.sign_amendment', path)
  if (fate === 'declined') {
    const { worker_id } = await act('contracts.get', { contract_id })
    await act('worker.decline_amendment', path, await workerToken(act, String(worker_id)))
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
