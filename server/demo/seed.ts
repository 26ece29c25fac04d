import { randomBytes } from 'node:crypto'
import type { Caller } from '#core/caller.ts'
import { invoke } from '#core/invoke.ts'
import { addDays } from '#core/values/time-zone.ts'
import { organizationScopes } from '#identity/scopes.ts'
import { sensitiveCategories } from '#identity/sensitive-categories.ts'
import { createAdministrator, createOperatorToken } from '../administration.ts'
import type { Running } from '../main.ts'
import { amendments, contracts, type DemoAmendment, type DemoContract, people } from './contracts.ts'

export interface Demo {
  organization_id: string
  token: string
  /** Owner of the organization; there is no password that every installation has. */
  sign_in: { email: string; password: string }
}

const name = 'Harbour Pine'
const notice_days = 28

/** Performs one operation as the demo's owner or, with a token, as a worker; answers its body. */
type Act = (operation: string, input: Record<string, unknown>, token?: string) => Promise<Record<string, unknown>>

/**
 * Fills a new, empty database with one sandbox organization by calling the operations, so that events, audit and terms
 * arise as in life, and answers a token for it. A database that holds an organization is left as it is.
 */
export async function seedDemo({ storage, service }: Running): Promise<Demo | null> {
  if (!(await storage.isNew())) return null
  const demo = await createDemoOrganization(storage)
  const act = actIn(service, demo.token)
  const today = new Date().toISOString().slice(0, 10)
  const ids = new Map<string, string>()
  for (const contract of contracts) ids.set(contract.key, await playContract(act, contract, today))
  for (const amendment of amendments) await playAmendment(act, amendment, ids.get(amendment.contract) ?? '', today)
  return demo
}

async function createDemoOrganization({ database, secrets }: Running['storage']): Promise<Demo> {
  const sign_in = { email: 'nora@harbour.example', password: randomBytes(12).toString('base64url') }
  const { organization_id } = await createAdministrator(database, {
    ...sign_in,
    name: 'Nora Pine',
    organization: { name, country: 'DE', default_currency: 'EUR', timezone: 'Europe/Berlin', is_sandbox: true },
  })
  const { token } = await createOperatorToken(database, secrets, {
    organization: organization_id,
    name: 'demo',
    scopes: organizationScopes,
    sensitive_data: sensitiveCategories,
    expires_at: null,
  })
  return { organization_id, token, sign_in }
}

function actIn({ runtime, authenticate }: Running['service'], ownerToken: string): Act {
  const callers = new Map<string, Promise<Caller>>()
  const callerOf = (token: string) => {
    const caller = callers.get(token) ?? authenticate(`Bearer ${token}`, null)
    callers.set(token, caller)
    return caller
  }
  return async (operation, input, token = ownerToken) => {
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
  const { key, worker, type, title = key, starts_in_days, timezone, compensation, tax } = demo
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
  await act('contracts.sign', { contract_id, signer_name: 'Nora Pine' })
  await act('sandbox.sign_contract', { contract_id })
}

const fates: Record<DemoContract['fate'], Play> = {
  draft: async () => undefined,
  invited: async (act, contract_id) => {
    await act('contracts.sign', { contract_id, signer_name: 'Nora Pine' })
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
  await act('amendments.sign', { ...path, signer_name: 'Nora Pine' })
  if (fate === 'approved') await act('sandbox.sign_amendment', path)
  if (fate === 'declined') {
    const { worker_id } = await act('contracts.get', { contract_id })
    await act('worker.decline_amendment', path, await workerToken(act, String(worker_id)))
  }
}
