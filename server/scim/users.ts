import type { Context } from '#core/operation.ts'
import { emailInUse, hasDependents, hierarchyCycle, referenceNotFound } from '#core/problems.ts'
import { requirePlace } from '#core/tree.ts'
import { endAccess, endingEvents } from '#identity/end-credentials.ts'
import { departmentEvents, departmentNamed } from '#resources/departments/index.ts'
import { lastOwner, refuseClosing } from '#resources/members/index.ts'
import {
  emailsOf,
  freeEmail,
  isReferredTo,
  type PersonRow,
  peopleOperations,
  person,
  personEvents,
  userDeprovisioned,
  userProvisioned,
} from '#resources/people/index.ts'
import { requireWhole } from './body.ts'
import { type Rules, type Write, writableOf } from './operations.ts'
import { applyChanges, readWhole } from './patch.ts'
import { refuse } from './refusals.ts'
import type { Resource } from './resource.ts'
import { user_type } from './schema.ts'
import { findManager, matchUser, waitingFor } from './users.store.ts'
import { keptByPut, withEmail, writeUser } from './write-user.ts'

/** A SCIM user is a person: its writes are those of people, with the rules of provisioning. */
export const users: Rules<PersonRow> = {
  id: 'users',
  type: user_type,
  emits: () => [
    ...[...Object.values(personEvents), ...(personDelete().emits ?? [])],
    ...[userProvisioned, userDeprovisioned, departmentEvents.created, ...endingEvents],
  ],
  problems: [lastOwner, emailInUse, hasDependents, hierarchyCycle, referenceNotFound],
  lock: person.lock,
  keeps: keptByPut,
  change: store,

  async create(context, sent) {
    // A new user may sign in, unless the client says otherwise.
    const changes = [...readWhole(user_type, { active: true }), ...sent]
    const next = applyChanges({}, changes)
    requireWhole(user_type, next)
    const known = await knownAs(next, context)
    if (!known) return (await store(context, null, { current: {}, next, changes })).id
    refuseTaken(known, next)
    const current = await writableOf(context, user_type, known.id)
    return (await store(context, known, { current, next: applyChanges(current, changes), changes })).id
  },

  async remove(context, before) {
    const { tx, emit, caller } = context
    await refuseClosing(context, before)
    if (before.scim_created && !(await isReferredTo(tx, before))) {
      // The casts hold because this is the whole input of that operation, and its events are declared above.
      return personDelete().handle({ person_id: before.id } as never, context as never)
    }
    const access = before.access === 'enabled' ? 'disabled' : before.access
    const row = await person.save(tx, before, { ...before, access, scim_removed_at: tx.now })
    if (access !== before.access) emit(userDeprovisioned, person.entryOf(row))
    await endAccess({ tx, emit }, row, { by: caller.actor, reason: 'deprovisioned' })
  },
}

function personDelete() {
  const found = peopleOperations.find(({ id }) => id === 'people.delete')
  if (!found) throw new Error('people cannot be deleted')
  return found
}

/** The person that a new user is: by the user name, else the only one with the e-mail address (design 8.1). */
async function knownAs(sent: Resource, { tx, caller: { organization_id } }: Context): Promise<PersonRow | null> {
  const user_name = String(sent.userName)
  const matches = await matchUser(tx, organization_id, { user_name, emails: emailsOf(sent) })
  const by_email = matches.filter(({ is_by_name }) => !is_by_name)
  const found = matches.find(({ is_by_name }) => is_by_name) ?? (by_email.length === 1 ? by_email[0] : undefined)
  return found ? person.get(tx, { organization_id, id: found.id }) : null
}

function refuseTaken({ scim_linked_at, scim_removed_at, scim_external_id }: PersonRow, sent: Resource): void {
  if (scim_linked_at !== null && scim_removed_at === null) {
    throw refuse('uniqueness', `A user with the userName ${sent.userName} exists.`)
  }
  const is_other = scim_external_id !== null && sent.externalId !== undefined && scim_external_id !== sent.externalId
  if (scim_removed_at === null || !is_other) return
  const other = `A removed user had the userName ${sent.userName} and another externalId`
  throw refuse('conflict', `${other}: somebody has to decide whether it is the same person.`)
}

/**
 * Writes a user: the row, what it refers to, the events, and the end of its access where it was closed. Nothing at all
 * where nothing changes.
 */
async function store(context: Context, known: PersonRow | null, { current, next, changes }: Write): Promise<PersonRow> {
  const { tx, caller, newId, unchanged, audit } = context
  const before = known ?? newPerson(tx, caller.organization_id, newId())
  const { row: drafted, changed, department, manager } = writeUser(before, current, next, caller)
  const is_renamed = changed.some((name) => name === 'userName' || name === 'emails')
  const email = is_renamed ? ((await freeEmail(tx, drafted, emailsOf(next))) ?? (known?.email || null)) : null
  // Written where the client wrote it, so that true opens an access that nobody ever had, too.
  const opens = changes.some(({ target }) => target.place.key === 'active') && next.active === true
  const row: PersonRow = {
    ...(is_renamed ? withEmail(drafted, email, next) : drafted),
    ...(department !== undefined && (await holdDepartment(context, department))),
    ...(manager !== undefined && (await holdManager(context, drafted, manager))),
    access: opens && drafted.access === 'none' ? 'enabled' : drafted.access,
    scim_linked_at: before.scim_linked_at ?? tx.now,
    scim_removed_at: null,
  }
  if (row.access === 'disabled' && before.access !== 'disabled') await refuseClosing(context, known ?? row)
  const columns = person.changes(before, row)
  if (known && columns.length === 0) {
    unchanged()
    return known
  }
  audit({ changed_fields: changed })
  const synced = { ...row, scim_synced_at: tx.now }
  if (!known) await person.insert(tx, synced)
  const saved = known ? await person.save(tx, known, synced) : synced
  await tell(context, known, saved, columns)
  if (is_renamed || changed.includes('externalId')) await resolveWaiting(context, saved)
  return saved
}

const newPerson = (tx: Context['tx'], organization_id: string, id: string) =>
  person.newRow(tx, {
    ...{ organization_id, id, first_name: '', last_name: '', email: null, status: 'active', locale: 'en' },
    ...{ access: 'none', worker_type: 'contractor', scim_created: true },
  })

/** Columns that no answer of people shows, or that have events of their own. */
const untold = /^(user_name|manager_ref|scim_.*|access)$/

async function tell(
  { tx, emit, caller: { actor: by } }: Context,
  known: PersonRow | null,
  row: PersonRow,
  columns: readonly string[],
): Promise<void> {
  const changed_fields = columns.filter((column) => !untold.test(column))
  const entry = person.entryOf(row)
  if (!known) emit(personEvents.created, entry)
  else if (changed_fields.length > 0) emit(personEvents.updated, { ...entry, changed_fields })
  const had = known?.access ?? 'none'
  if (row.access === 'enabled' && had !== 'enabled') emit(userProvisioned, entry)
  if (row.access !== 'disabled' || had === 'disabled') return
  if (had === 'enabled') emit(userDeprovisioned, entry)
  // Also of a person without access, whose address may be a member's.
  await endAccess({ tx, emit }, row, { by, reason: 'deprovisioned' })
}

/** The department of this name (design 4). */
async function holdDepartment(context: Context, department_name: string | null) {
  const department_id = department_name === null ? null : await departmentNamed(context, department_name)
  if (department_id !== undefined) return { department_id, department_name }
  throw refuse('invalidValue', `department: several departments are called ${department_name}.`)
}

/** The manager whom a value names; one who is nobody yet is kept as it was sent, and found later. */
async function holdManager({ tx, caller }: Context, { id }: PersonRow, manager_ref: string | null) {
  const { organization_id } = caller
  const manager_id = manager_ref === null ? null : await findManager(tx, organization_id, manager_ref)
  if (manager_id === null) return { manager_id, manager_name: null, manager_ref }
  await requirePlace(tx, { table: 'people', parent: 'manager_id' }, { organization_id, id, parent_id: manager_id })
  return { manager_id, manager_ref: null, ...(await person.refer(tx, organization_id, { manager_id })) }
}

/** People whose manager this user turns out to be. */
async function resolveWaiting({ tx, caller: { organization_id }, emit }: Context, boss: PersonRow): Promise<void> {
  for (const { id } of await waitingFor(tx, boss)) {
    const before = await person.lock(tx, { organization_id, id })
    const named = { manager_id: boss.id, manager_name: boss.full_name, manager_ref: null }
    const row = await person.save(tx, before, { ...before, ...named })
    emit(personEvents.updated, { ...person.entryOf(row), changed_fields: ['manager_id'] })
  }
}
