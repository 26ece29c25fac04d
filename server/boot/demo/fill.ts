import type { Caller } from '#core/caller.ts'
import { invoke, type Runtime } from '#core/invoke.ts'
import { createFiring } from '#core/jobs/fire-timers.ts'
import { setClock, startClock } from '#core/sandbox-clock.ts'
import { type Database, type Role, roleNames, sql, type Transaction } from '#db/database.ts'
import { findUserByEmail, roleIn } from '#identity/account.store.ts'
import { organizationScopes, sensitiveCategories, workerScopes } from '#identity/scopes.ts'
import { findDefaultLegalEntity } from '#resources/legal-entities/index.ts'
import { timers } from '../operations.ts'
import { amendments, contracts } from './chapters/contracts.ts'
import { invoices, payments } from './chapters/money.ts'
import { people, timeOff } from './chapters/people.ts'
import { structure } from './chapters/structure.ts'
import { adjustments, timesheets } from './chapters/work.ts'
import { type Act, play, type Step, start } from './story.ts'

export const end = '2026-04-15T12:00:00.000Z'

/** The story of domain design 7 by the keys that it gives; what a date brings is put in order by `inOrder`. */
export const steps: readonly Step[] = [
  ...[...structure, ...people, ...contracts, ...amendments, ...timeOff],
  ...[...timesheets, ...adjustments, ...invoices, ...payments],
]

/** The member who approves what the owner pays. */
export const second_person = { email: 'omar@harbour.example', name: 'Omar Sayed', role: 'finance' } as const

/**
 * Plays the story in an empty sandbox, within one transaction, by calling the operations under its test clock: timers
 * fire on the way, each at its time. `caller` does in the story what the owner does, whatever else it may, and what the
 * second person does where there is none. Ids are counted, so that the same version makes the same; events are told
 * or, where the organization had others before, not.
 */
export async function fillSandbox(
  outer: Runtime,
  tx: Transaction,
  caller: Caller,
  { is_silent = false, story = steps }: { is_silent?: boolean; story?: readonly Step[] } = {},
): Promise<void> {
  const { organization_id } = caller
  const owner = asOwner(caller)
  const database = withinTransaction(outer.database, tx)
  const runtime: Runtime = { ...outer, database, is_silent, newRowId: countedIds() }
  const firing = createFiring(runtime, timers)
  const inOrganization = (work: () => Promise<void>) => database.transaction({ role: 'app', organization_id }, work)
  let now = start
  const passTime = async (at: string) => {
    if (at === now) return
    await inOrganization(() => startClock(tx, organization_id, { target: at, kept_as: null }))
    await firing.run(organization_id)
    await inOrganization(() => setClock(tx, organization_id, at))
    tx.keepTime(at)
    now = at
  }
  await inOrganization(() => setClock(tx, organization_id, start))
  tx.keepTime(start)
  const omar = await secondPerson(database, owner)
  const doerOf = (doer: string | null) => {
    if (doer === null) return owner
    return doer === 'omar' ? omar : workerAs(tx, owner, doer)
  }
  const first_entity = await database.transaction({ role: 'app', organization_id }, () =>
    findDefaultLegalEntity(tx, organization_id),
  )
  if (first_entity === undefined) throw new Error('every organization has a default legal entity')
  const act: Act = async ({ at, operation }, input, doer) => {
    await passTime(at)
    const { body } = await invoke(runtime, {
      operation: runtime.registry.operation(operation),
      caller: await doerOf(doer),
      ...{ input, from_text: false, request_id: 'demo', trace_id: null, address: null },
    })
    // The cast holds because every operation of the story answers an object.
    return body as object
  }
  await play(story, act, { organization: organization_id, first_entity })
  await passTime(end)
}

/** The caller with all that an owner can do. */
const asOwner = (caller: Caller): Caller => ({
  ...{ ...caller, ...(caller.role && { role: 'owner' }) },
  scopes: new Set(organizationScopes),
  sensitive_data: new Set(sensitiveCategories),
})

/** The second person of the demo: no real member of a sandbox is said to have done what nobody did. */
async function secondPerson(database: Database, owner: Caller): Promise<Caller> {
  const { organization_id } = owner
  return database.transaction({ role: 'lookup', organization_id }, async (tx) => {
    const user = await findUserByEmail(tx, second_person.email)
    const role = user && (await roleIn(tx, organization_id, user.id))
    if (!role) return owner
    const { id, name } = user
    return { ...owner, kind: 'personal', user_id: id, role, actor: { kind: 'user', id, name } }
  })
}

/** A worker as by its own login; nobody has to be given a credential for the story. */
async function workerAs(tx: Transaction, { organization_id, credential_id }: Caller, id: string): Promise<Caller> {
  const person = await tx.row<{ name: string }>(
    sql`select full_name as name from people where organization_id = ${organization_id} and id = ${id}`,
  )
  return {
    ...{ kind: 'worker', organization_id, is_sandbox: true, credential_id, person_id: id, expires_at: null },
    actor: { kind: 'worker', id, name: person?.name ?? '' },
    scopes: new Set(workerScopes),
    sensitive_data: new Set(sensitiveCategories),
  }
}

/** Ids whose time part is that of the story and whose rest counts. */
function countedIds() {
  let count = 0
  return (at: string) => {
    count += 1
    const time = Date.parse(at).toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${count.toString(16).padStart(12, '0')}`
  }
}

/**
 * The database from within one transaction of it: whatever is called with it commits together or not at all. Each
 * transaction inside takes on its own role and organization for the rest, so they come one after the other.
 */
export function withinTransaction(database: Database, tx: Transaction): Database {
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
