import { emitAll } from '#core/effects.ts'
import type { Context } from '#core/operation.ts'
import {
  emailInUse,
  hasDependents,
  hierarchyCycle,
  invalidState,
  referenceNotFound,
  validationFailed,
} from '#core/problems.ts'
import { removeRow } from '#core/standard-operations.ts'
import { requirePlace } from '#core/tree.ts'
import { endAccess, endingEvents } from '#identity/end-credentials.ts'
import { departmentEvents, departmentNamed } from '#resources/departments/index.ts'
import { lastOwner, refuseClosing } from '#resources/members/index.ts'
import { emailsOf } from './entries.ts'
import { managers, personRemoval } from './people.ts'
import { freeEmail, isReferredTo } from './person.store.ts'
import {
  named,
  type PersonRow,
  person,
  personEvents,
  toldColumns,
  userDeprovisioned,
  userProvisioned,
} from './person.ts'
import { peopleNamed, personKnownAs, setManager, waitingFor } from './provision-person.store.ts'

/** A write of an identity provider: what it changes of a person, and what is kept as it was sent. */
export interface Provision {
  /** Names of the attributes that it changes, and of all that have a value behind it, as `scim_written` holds them. */
  readonly changed: readonly string[]
  readonly assigned: readonly string[]
  readonly fields: Partial<PersonRow>
  readonly bag: Record<string, unknown>
  readonly user_name: string
  readonly first_name: string | null
  readonly last_name: string | null
  /** The name of somebody without parts of a name. */
  readonly only_name: string
  /** E-mail addresses in the order in which they are taken where they are free. */
  readonly emails: readonly string[]
  readonly department: string | null
  /** An id, external id or user name, of somebody who need not be here yet. */
  readonly manager: string | null
  /** Opens an access that nobody ever had, too. */
  readonly opens: boolean
}

const emits = [
  ...[personEvents.created, personEvents.updated, personEvents.deleted, userProvisioned, userDeprovisioned],
  ...[departmentEvents.created, ...endingEvents],
] as const
const problems = [lastOwner, emailInUse, hasDependents, hierarchyCycle, referenceNotFound, invalidState] as const
type Provisioning = Context<(typeof emits)[number]>

/**
 * Writes a person, new where none is known: the row, what it refers to, the events, and the end of the access where it was
 * closed. Nothing at all where nothing changes.
 */
async function write(context: Provisioning, known: PersonRow | null, provision: Provision): Promise<PersonRow> {
  const { tx, caller, newId, unchanged, audit } = context
  const { organization_id } = caller
  const { changed, emails, user_name, opens } = provision
  const before = known ?? newPerson(tx, organization_id, newId())
  const drafted = written(before, provision)
  const is_renamed = changed.some((name) => name === 'userName' || name === 'emails')
  const email = is_renamed ? ((await freeEmail(tx, drafted, emails)) ?? (known?.email || null)) : drafted.email
  const row: PersonRow = {
    ...drafted,
    // Kept beside the e-mail address only where it differs.
    ...(is_renamed && { email, user_name: user_name === email ? null : user_name }),
    access: opens && drafted.access === 'none' ? 'enabled' : drafted.access,
    scim_linked_at: before.scim_linked_at ?? tx.now,
    scim_removed_at: null,
  }
  if (changed.includes('department')) Object.assign(row, await holdDepartment(context, provision.department))
  if (changed.includes('manager')) Object.assign(row, await holdManager(context, row, provision.manager))
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

const bag_bytes_max = 16_384

/** The row with what the write says of it alone. */
function written(before: PersonRow, { changed, assigned, fields, bag, ...write }: Provision): PersonRow {
  if (Buffer.byteLength(JSON.stringify(bag)) > bag_bytes_max) {
    throw validationFailed(`The descriptive attributes of a user hold ${bag_bytes_max} bytes at most.`)
  }
  const came = (name: string) => changed.includes(name) || before.scim_written.includes(name)
  const row = { ...before, ...fields, scim_bag: bag, scim_written: assigned.filter(came).sort() }
  if (!changed.some((name) => /^name\.(given|family)Name$|^(displayName|userName)$/.test(name))) return named(row)
  const { first_name, last_name, only_name } = write
  const { nameless: _, ...parts } = bag
  const nameless = first_name === null && last_name === null
  const names = { first_name: first_name ?? '', last_name: nameless ? only_name : (last_name ?? '') }
  // The columns do not tell the only name of somebody from a last name.
  return named({ ...row, ...names, scim_bag: nameless ? { ...parts, nameless } : parts })
}

async function tell(
  { tx, emit, caller: { actor: by } }: Provisioning,
  known: PersonRow | null,
  row: PersonRow,
  columns: readonly string[],
): Promise<void> {
  // The access has events of its own.
  const changed_fields = toldColumns(columns).filter((column) => column !== 'access')
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

/** The department of this name; one that does not exist is made. */
async function holdDepartment(context: Provisioning, department_name: string | null) {
  const department_id = department_name === null ? null : await departmentNamed(context, department_name)
  if (department_id !== undefined) return { department_id, department_name }
  throw refused('/department', `is the name of several: ${department_name}`)
}

const refused = (pointer: string, message: string) => referenceNotFound(undefined, { errors: [{ pointer, message }] })

/** The manager whom a value names; one who is nobody yet is kept as it was sent, and found later. */
async function holdManager({ tx, caller }: Provisioning, row: PersonRow, manager_ref: string | null) {
  const { organization_id } = caller
  const is_own = manager_ref !== null && namesOf(row).includes(manager_ref.toLowerCase())
  const manager_id =
    manager_ref === null ? null : is_own ? row.id : await personKnownAs(tx, organization_id, manager_ref)
  if (manager_id === null) return { manager_id, manager_name: null, manager_ref }
  await requirePlace(tx, managers, { organization_id, id: row.id, parent_id: manager_id })
  return { manager_id, manager_ref: null, ...(await person.refer(tx, organization_id, { manager_id })) }
}

/** The values by which others name a person as their manager, in lower case. */
const namesOf = ({ id, scim_external_id, user_name, email }: PersonRow) =>
  [id, scim_external_id, user_name ?? email].flatMap((name) => name?.toLowerCase() ?? [])

/** People whose manager this person turns out to be: an import may leave everybody waiting for somebody. */
async function resolveWaiting({ tx, emit }: Provisioning, boss: PersonRow): Promise<void> {
  const { organization_id, id: parent_id } = boss
  const ids = await waitingFor(tx, boss, namesOf(boss))
  if (ids.length === 0) return
  await requirePlace(tx, managers, { organization_id, id: ids, parent_id })
  const people = await person.lockAll(tx, organization_id, ids)
  await setManager(tx, boss, ids)
  const entries = ids.flatMap((id) => people.get(id) ?? []).map((row) => person.entryOf(row))
  emitAll(
    emit,
    personEvents.updated,
    entries.map((entry) => ({ ...entry, changed_fields: ['manager_id'] })),
  )
}

/** Removes a person for its provider: for good where it made the person and nothing refers to it, else it closes and hides it. */
async function remove(context: Provisioning, before: PersonRow): Promise<null> {
  const { tx, emit, caller } = context
  await refuseClosing(context, before)
  if (before.scim_created && !(await isReferredTo(tx, before))) {
    const { organization_id, id } = before
    const locked = await person.lockToRemove(tx, { organization_id, id })
    // The cast holds because the events of a removal are among those of provisioning.
    await removeRow(person, personRemoval, locked, context as never)
    return null
  }
  // Somebody without access gets none either, by an invitation that is still open; back again, nobody is in a team unasked.
  const row = await person.save(tx, before, { ...before, access: 'disabled', teams: [], scim_removed_at: tx.now })
  if (before.teams.length > 0) emit(personEvents.updated, { ...person.entryOf(row), changed_fields: ['teams'] })
  if (before.access === 'enabled') emit(userDeprovisioned, person.entryOf(row))
  await endAccess({ tx, emit }, row, { by: caller.actor, reason: 'deprovisioned' })
  return null
}

/** The person that a new one is: by the user name, else the only one with the e-mail address; refused where a provider has it. */
async function known(
  sent: Readonly<Record<string, unknown>>,
  { tx, caller: { organization_id } }: Pick<Context, 'tx' | 'caller'>,
): Promise<PersonRow | null> {
  const { userName: user_name, externalId: external_id } = sent
  const matches = await peopleNamed(tx, organization_id, { user_name: `${user_name}`, emails: emailsOf(sent) })
  const by_email = matches.filter(({ is_by_name }) => !is_by_name)
  const found = matches.find(({ is_by_name }) => is_by_name) ?? (by_email.length === 1 ? by_email[0] : undefined)
  if (!found) return null
  const row = await person.get(tx, { organization_id, id: found.id })
  const { scim_linked_at, scim_removed_at, scim_external_id } = row
  if (scim_linked_at === null) return row
  if (scim_removed_at === null) throw emailInUse(`A user with the userName ${user_name} exists.`)
  if (scim_external_id === null || (external_id ?? scim_external_id) === scim_external_id) return row
  throw invalidState(
    `A removed user had the userName ${user_name} and another externalId: somebody has to decide whether it is the same person.`,
  )
}

/** People as an identity provider writes them. */
export const provisionedPeople = { emits, problems, known, write, remove }
