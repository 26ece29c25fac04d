import { type Context, defineOperation } from '#core/operation.ts'
import { emailInUse, hasDependents } from '#core/problems.ts'
import { Closed, Id, Type } from '#core/schema/schema.ts'
import { endAccess, endingEvents } from '#identity/end-credentials.ts'
import { departmentEvents } from '#resources/departments/index.ts'
import { lastOwner, refuseClosing } from '#resources/members/index.ts'
import {
  type PersonRow,
  peopleOperations,
  person,
  personEvents,
  userDeprovisioned,
  userProvisioned,
} from '#resources/people/index.ts'
import { readResource, requireWhole } from './body.ts'
import { ScimError } from './errors.ts'
import { readListing } from './list.ts'
import type { Resource } from './match.ts'
import { applyChange, readChanges } from './patch.ts'
import { type Asked, projectionOf } from './projection.ts'
import { holdDepartment, holdManager } from './references.ts'
import { Body, checkVersion, ListInput, parse, Shown, Version } from './request.ts'
import { user_type } from './schema.ts'
import { metaOf, type Showing, userOf, writableOf } from './user.ts'
import { contractsOf, freeEmail, isReferredTo, listedUsers, matchUser, waitingFor } from './users.store.ts'
import { emailsOf, replaced, withEmail, write } from './write-user.ts'

const user_events = [
  ...Object.values(personEvents),
  ...[userProvisioned, userDeprovisioned, departmentEvents.created, ...endingEvents],
] as const
export type UserContext = Context<(typeof user_events)[number]>

const reading = { scopes: ['scim:read'], subject: 'people', output: Type.Any() } as const
const writing = {
  ...({ scopes: ['scim:write'], subject: 'people', output: Type.Any(), emits: user_events } as const),
  problems: [lastOwner, emailInUse, hasDependents],
} as const
const UserPath = { id: Id }

const showingOf = ({ rooms, caller }: Pick<Context, 'rooms' | 'caller'>): Showing => ({
  base: rooms.scim.base,
  sees_home: caller.sensitive_data.has('home_address'),
})

type Reading = Pick<Context, 'tx' | 'caller' | 'rooms'>

async function shown(rows: readonly PersonRow[], context: Reading, asked: Asked): Promise<Resource[]> {
  const { tx, caller } = context
  const projection = projectionOf(user_type, asked)
  const contracts = await contractsOf(tx, caller.organization_id, rows)
  return rows.map((row) => projection.of(userOf(row, contracts.get(row.id) ?? [], showingOf(context))))
}

async function one(row: PersonRow, context: Reading, asked: Asked): Promise<Resource> {
  const [resource] = await shown([row], context, asked)
  if (!resource) throw new Error('a user was not shown')
  return resource
}

export const listUsers = defineOperation({
  ...reading,
  id: 'scim.users.list',
  summary: 'List users',
  method: 'GET',
  path: '/Users',
  input: Closed(ListInput),

  async handle(query, context) {
    const { tx, caller, rooms } = context
    const { organization_id } = caller
    const of = listedUsers(organization_id, showingOf(context).sees_home)
    const found = await readListing<PersonRow>({ tx, cursors: rooms.scim.cursors, organization_id }, of, query)
    return { ...found, rows: await shown(found.rows, context, query) }
  },
})

export const getUser = defineOperation({
  ...reading,
  id: 'scim.users.get',
  summary: 'Get a user',
  method: 'GET',
  path: '/Users/:id',
  input: Closed({ ...UserPath, ...Shown }),
  lock: ({ id }, { tx, caller: { organization_id } }) => person.lock(tx, { organization_id, id }),
  handle: async ({ id, ...asked }, context) => one(await visible(context, id), context, asked),
})

/** A user by its id, locked where it is about to change. Whom a client removed is found no more. */
async function visible({ tx, caller }: Reading, id: string, lock = false): Promise<PersonRow> {
  const match = { organization_id: caller.organization_id, id }
  const row = await (lock ? person.lock(tx, match) : person.get(tx, match))
  if (row.scim_removed_at !== null || (row.user_name ?? row.email) === null) throw noUser(id)
  return row
}

const noUser = (id: string) => new ScimError(404, undefined, `There is no user ${id}.`)

export const createUser = defineOperation({
  ...writing,
  id: 'scim.users.create',
  summary: 'Create a user, or take over the person that it is',
  method: 'POST',
  path: '/Users',
  status: 201,
  input: Closed({ ...Body, ...Shown }),

  async handle({ body, ...asked }, context) {
    const sent = { active: true, ...readResource(user_type, parse(body)) }
    requireWhole(user_type, sent)
    const known = await knownAs(sent, context)
    if (!known) return one(await store(context, null, {}, sent), context, asked)
    refuseTaken(known, sent)
    const current = writableOf(known, showingOf(context).sees_home)
    return one(await store(context, known, current, { ...current, ...sent }), context, asked)
  },
})

/** The person that a new user is: by the user name, else the only one with the e-mail address (design 8.1). */
async function knownAs(sent: Resource, { tx, caller: { organization_id } }: Reading): Promise<PersonRow | null> {
  const user_name = String(sent.userName)
  const matches = await matchUser(tx, organization_id, { user_name, emails: emailsOf(sent) })
  const by_email = matches.filter(({ is_by_name }) => !is_by_name)
  const found = matches.find(({ is_by_name }) => is_by_name) ?? (by_email.length === 1 ? by_email[0] : undefined)
  return found ? person.get(tx, { organization_id, id: found.id }) : null
}

function refuseTaken({ scim_linked_at, scim_removed_at, scim_external_id }: PersonRow, sent: Resource): void {
  if (scim_linked_at !== null && scim_removed_at === null) {
    throw new ScimError(409, 'uniqueness', `A user with the userName ${sent.userName} exists.`)
  }
  const is_other = scim_external_id !== null && sent.externalId !== undefined && scim_external_id !== sent.externalId
  if (scim_removed_at === null || !is_other) return
  const detail = `A removed user had the userName ${sent.userName} and another externalId: somebody has to decide whether it is the same person.`
  throw new ScimError(409, undefined, detail)
}

export const replaceUser = defineOperation({
  ...writing,
  id: 'scim.users.replace',
  summary: 'Replace a user',
  method: 'PUT',
  path: '/Users/:id',
  input: Closed({ ...UserPath, ...Body, ...Shown, ...Version }),

  async handle({ id, body, if_match, ...asked }, context) {
    const before = await visible(context, id, true)
    checkVersion(if_match, metaOf('User', before, '').version)
    const sent = readResource(user_type, parse(body))
    requireWhole(user_type, sent)
    const current = writableOf(before, showingOf(context).sees_home)
    return one(await store(context, before, current, replaced(current, sent, before), sent.active), context, asked)
  },
})

export const patchUser = defineOperation({
  ...writing,
  id: 'scim.users.patch',
  summary: 'Change a user',
  method: 'PATCH',
  path: '/Users/:id',
  input: Closed({ ...UserPath, ...Body, ...Shown, ...Version }),

  async handle({ id, body, if_match, ...asked }, context) {
    const before = await visible(context, id, true)
    checkVersion(if_match, metaOf('User', before, '').version)
    const changes = readChanges(user_type, parse(body), id)
    const current = writableOf(before, showingOf(context).sees_home)
    const next = changes.reduce(applyChange, current)
    const asks_active = changes.some(({ target }) => target.place.attribute.name === 'active')
    return one(await store(context, before, current, next, asks_active ? next.active : undefined), context, asked)
  },
})

export const deleteUser = defineOperation({
  ...writing,
  id: 'scim.users.delete',
  summary: 'Remove a user',
  description: 'Closes the access. A person whom SCIM made and nothing refers to is deleted; any other stays in Stint.',
  method: 'DELETE',
  path: '/Users/:id',
  status: 204,
  input: Closed({ ...UserPath, ...Version }),
  get emits() {
    return [...user_events, ...(personDelete().emits ?? [])]
  },

  async handle({ id, if_match }, context) {
    const { tx, emit, caller } = context
    const before = await visible(context, id, true)
    checkVersion(if_match, metaOf('User', before, '').version)
    await refuseClosing(context, before)
    if (before.scim_created && !(await isReferredTo(tx, before))) {
      // The casts hold because this is the whole input of that operation, and its events are declared above.
      await personDelete().handle({ person_id: id } as never, context as never)
      return null
    }
    const access = before.access === 'enabled' ? 'disabled' : before.access
    const row = await person.save(tx, before, { ...before, access, scim_removed_at: tx.now })
    if (access !== before.access) emit(userDeprovisioned, person.entryOf(row))
    await endAccess({ tx, emit }, row, { by: caller.actor, reason: 'deprovisioned' })
    return null
  },
})

function personDelete() {
  const found = peopleOperations.find(({ id }) => id === 'people.delete')
  if (!found) throw new Error('people cannot be deleted')
  return found
}

export const userOperations = [listUsers, createUser, getUser, replaceUser, patchUser, deleteUser]

/**
 * Writes a user: the row, what it refers to, the events, and the end of its access where it was closed. Nothing at all
 * where nothing changes. `active` is present where the client wrote it: true opens access that nobody ever had, too.
 */
async function store(
  context: UserContext,
  known: PersonRow | null,
  current: Resource,
  next: Resource,
  active: unknown = next.active,
): Promise<PersonRow> {
  const { tx, caller, newId, unchanged, emit, audit } = context
  const { organization_id } = caller
  requireWhole(user_type, next)
  const before = known ?? newPerson(tx, organization_id, newId())
  const { changed, department, manager, row: drafted } = write(before, current, next)
  const names = changed.some((name) => name === 'userName' || name === 'emails')
  const email = names ? ((await freeEmail(tx, drafted, emailsOf(next))) ?? (known?.email || null)) : drafted.email
  const row: PersonRow = {
    ...(names ? withEmail(drafted, email, next) : drafted),
    ...(department !== undefined && (await holdDepartment(context, department))),
    ...(manager !== undefined && (await holdManager(context, drafted, manager))),
    access: active === true && drafted.access === 'none' ? 'enabled' : drafted.access,
    scim_linked_at: before.scim_linked_at ?? tx.now,
    scim_removed_at: null,
  }
  if (row.access === 'disabled' && before.access !== 'disabled') await refuseClosing(context, known ?? row)
  const columns = person.changes(before, row)
  if (known && columns.length === 0) {
    unchanged()
    return known
  }
  if (known) audit({ changed_fields: changed })
  const saved = known ? await person.save(tx, known, row) : await inserted(tx, row)
  tell(emit, known, saved, columns)
  if (saved.access === 'disabled' && before.access !== 'disabled') {
    await endAccess({ tx, emit }, saved, { by: caller.actor, reason: 'deprovisioned' })
  }
  if (!known || names || changed.includes('externalId')) await resolveWaiting(context, saved)
  return saved
}

const newPerson = (tx: Context['tx'], organization_id: string, id: string) =>
  person.newRow(tx, {
    ...{ organization_id, id, first_name: '', last_name: '', email: null, status: 'active', locale: 'en' },
    ...{ access: 'none', worker_type: 'contractor', scim_created: true },
  })

async function inserted(tx: Context['tx'], row: PersonRow): Promise<PersonRow> {
  await person.insert(tx, row)
  return row
}

/** Columns that no answer of people shows, or that have events of their own. */
const untold = /^(user_name|manager_ref|scim_.*|access)$/

function tell(emit: UserContext['emit'], known: PersonRow | null, row: PersonRow, columns: readonly string[]): void {
  const changed_fields = columns.filter((column) => !untold.test(column))
  const entry = person.entryOf(row)
  if (!known) emit(personEvents.created, entry)
  else if (changed_fields.length > 0) emit(personEvents.updated, { ...entry, changed_fields })
  const had = known?.access ?? 'none'
  if (row.access === 'enabled' && had !== 'enabled') emit(userProvisioned, entry)
  if (row.access === 'disabled' && had === 'enabled') emit(userDeprovisioned, entry)
}

/** People whose manager this user turns out to be. */
async function resolveWaiting({ tx, caller: { organization_id }, emit }: UserContext, boss: PersonRow): Promise<void> {
  for (const { id } of await waitingFor(tx, boss)) {
    const before = await person.lock(tx, { organization_id, id })
    const named = { manager_id: boss.id, manager_name: boss.full_name, manager_ref: null }
    const row = await person.save(tx, before, { ...before, ...named })
    emit(personEvents.updated, { ...person.entryOf(row), changed_fields: ['manager_id'] })
  }
}
