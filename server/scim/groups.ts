import { emitAll } from '#core/effects.ts'
import { type Context, defineOperation } from '#core/operation.ts'
import type { RowFrom } from '#core/resource.ts'
import { Closed, Id, Type } from '#core/schema/schema.ts'
import { isId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { refusalOfJoining } from '#resources/members/index.ts'
import { person, personEvents } from '#resources/people/index.ts'
import { team, teamEvents, teamOperations } from '#resources/teams/index.ts'
import { readResource, requireWhole } from './body.ts'
import { refuse, ScimError } from './errors.ts'
import {
  addMembers,
  isNameTaken,
  listedGroups,
  membersOf,
  membersWhere,
  removeMembers,
  touchPeople,
  usersNamed,
} from './groups.store.ts'
import { readListing } from './list.ts'
import type { Resource } from './match.ts'
import { applyChange, idsOf, type MemberChange, memberChange, readChanges } from './patch.ts'
import { type Asked, projectionOf } from './projection.ts'
import { Body, checkVersion, ListInput, parse, Shown, Version } from './request.ts'
import { attributeIn, group_schema, group_type } from './schema.ts'
import { assigned, metaOf } from './user.ts'

type TeamRow = RowFrom<typeof team>
const group_events = [teamEvents.created, teamEvents.updated, teamEvents.deleted, personEvents.updated] as const
type GroupContext = Context<(typeof group_events)[number]>
type Reading = Pick<Context, 'tx' | 'caller' | 'rooms'>

const reading = { scopes: ['scim:read'], subject: 'teams', output: Type.Any() } as const
const writing = { scopes: ['scim:write'], subject: 'teams', output: Type.Any(), emits: group_events } as const
const GroupPath = { id: Id }

async function shown(rows: readonly TeamRow[], { tx, caller, rooms }: Reading, asked: Asked): Promise<Resource[]> {
  const { base } = rooms.scim
  const projection = projectionOf(group_type, asked)
  const ids = projection.shows('members') ? rows.map(({ id }) => id) : []
  const members = ids.length > 0 ? await membersOf(tx, caller.organization_id, ids) : new Map()
  return rows.map((row) =>
    projection.of({
      schemas: [group_schema.id],
      id: row.id,
      ...assigned({
        ...writableOf(row),
        members: (members.get(row.id) ?? []).map(({ id, name }: { id: string; name: string }) => ({
          ...{ value: id, $ref: `${base}/Users/${id}`, type: 'User', display: name },
        })),
      }),
      meta: metaOf('Group', row, base),
    }),
  )
}

const writableOf = ({ name, scim_external_id }: TeamRow): Resource =>
  assigned({ externalId: scim_external_id, displayName: name })

async function one(row: TeamRow, context: Reading, asked: Asked): Promise<Resource> {
  const [resource] = await shown([row], context, asked)
  if (!resource) throw new Error('a group was not shown')
  return resource
}

export const listGroups = defineOperation({
  ...reading,
  id: 'scim.groups.list',
  summary: 'List groups',
  method: 'GET',
  path: '/Groups',
  input: Closed(ListInput),

  async handle(query, context) {
    const { tx, caller, rooms } = context
    const { organization_id } = caller
    const parts = { tx, cursors: rooms.scim.cursors, organization_id }
    const found = await readListing<TeamRow>(parts, listedGroups(organization_id), query)
    return { ...found, rows: await shown(found.rows, context, query) }
  },
})

export const getGroup = defineOperation({
  ...reading,
  id: 'scim.groups.get',
  summary: 'Get a group',
  method: 'GET',
  path: '/Groups/:id',
  input: Closed({ ...GroupPath, ...Shown }),
  lock: ({ id }, { tx, caller: { organization_id } }) => team.lock(tx, { organization_id, id }),
  handle: async ({ id, ...asked }, context) => {
    const { tx, caller } = context
    return one(await team.get(tx, { organization_id: caller.organization_id, id }), context, asked)
  },
})

export const createGroup = defineOperation({
  ...writing,
  id: 'scim.groups.create',
  summary: 'Create a group',
  method: 'POST',
  path: '/Groups',
  status: 201,
  input: Closed({ ...Body, ...Shown }),

  async handle({ body, ...asked }, context) {
    const { tx, caller, newId, emit } = context
    const { organization_id } = caller
    const sent = readResource(group_type, parse(body))
    requireWhole(group_type, sent)
    const row = fieldsOf(team.newRow(tx, { organization_id, id: newId(), name: '' }), sent)
    await refuseTaken(context, row)
    await team.insert(tx, row)
    emit(teamEvents.created, team.entryOf(row))
    await changeMembers(context, row, [{ kind: 'set', ids: membersIn(sent) }])
    return one(row, context, asked)
  },
})

export const replaceGroup = defineOperation({
  ...writing,
  id: 'scim.groups.replace',
  summary: 'Replace a group',
  method: 'PUT',
  path: '/Groups/:id',
  input: Closed({ ...GroupPath, ...Body, ...Shown, ...Version }),

  async handle({ id, body, if_match, ...asked }, context) {
    const before = await locked(context, id, if_match)
    const given = parse(body)
    const sent = readResource(group_type, given)
    requireWhole(group_type, sent)
    // Left out, the members stay; an empty list takes them all out (design 8.2).
    const names_members = Object.keys(given).some((name) => /^members$/i.test(name))
    const changes: MemberChange[] = names_members ? [{ kind: 'set', ids: membersIn(sent) }] : []
    return one(await store(context, before, sent, changes), context, asked)
  },
})

export const patchGroup = defineOperation({
  ...writing,
  id: 'scim.groups.patch',
  summary: 'Change a group',
  method: 'PATCH',
  path: '/Groups/:id',
  input: Closed({ ...GroupPath, ...Body, ...Shown, ...Version }),

  async handle({ id, body, if_match, ...asked }, context) {
    const before = await locked(context, id, if_match)
    const changes = readChanges(group_type, parse(body), id)
    const of_members = changes.map(memberChange)
    const next = changes.filter((_, at) => !of_members[at]).reduce(applyChange, writableOf(before))
    const row = await store(
      context,
      before,
      next,
      of_members.filter((change) => change !== undefined),
    )
    // The members of a large group are not echoed unasked.
    return asked.attributes ? one(row, context, asked) : null
  },
})

export const deleteGroup = defineOperation({
  ...writing,
  id: 'scim.groups.delete',
  summary: 'Delete a group',
  method: 'DELETE',
  path: '/Groups/:id',
  status: 204,
  input: Closed({ ...GroupPath, ...Version }),
  get emits() {
    return [...group_events, ...(teamDelete().emits ?? [])]
  },

  async handle({ id, if_match }, context) {
    await locked(context, id, if_match)
    await changeMembers(context, { organization_id: context.caller.organization_id, id }, [{ kind: 'set', ids: [] }])
    // The casts hold because this is the whole input of that operation, and its events are declared above.
    await teamDelete().handle({ team_id: id } as never, context as never)
    return null
  },
})

function teamDelete() {
  const found = teamOperations.find(({ id }) => id === 'teams.delete')
  if (!found) throw new Error('teams cannot be deleted')
  return found
}

export const groupOperations = [listGroups, createGroup, getGroup, replaceGroup, patchGroup, deleteGroup]

async function locked({ tx, caller }: Reading, id: string, if_match: string | undefined): Promise<TeamRow> {
  const before = await team.lock(tx, { organization_id: caller.organization_id, id })
  checkVersion(if_match, metaOf('Group', before, '').version)
  return before
}

const fieldsOf = (row: TeamRow, { displayName, externalId }: Resource): TeamRow => ({
  ...row,
  name: String(displayName),
  scim_external_id: typeof externalId === 'string' ? externalId : null,
})

const members_attribute = attributeIn(group_schema.attributes, 'members')
const membersIn = ({ members }: Resource) => (members_attribute ? idsOf(members_attribute, members) : [])

async function refuseTaken({ tx }: Reading, row: TeamRow): Promise<void> {
  tx.send(sql`select id from organizations where id = ${row.organization_id} for no key update`)
  if (!(await isNameTaken(tx, row, row.name))) return
  throw new ScimError(409, 'uniqueness', `A group with the displayName ${row.name} exists.`)
}

/** Writes a group and its members; nothing at all where nothing changes. */
async function store(
  context: GroupContext,
  before: TeamRow,
  next: Resource,
  changes: readonly MemberChange[],
): Promise<TeamRow> {
  const { tx, emit, audit, unchanged } = context
  requireWhole(group_type, next)
  const after = fieldsOf(before, next)
  const columns = team.changes(before, after)
  if (columns.includes('name')) await refuseTaken(context, after)
  const moved = await changeMembers(context, before, changes)
  if (columns.length === 0 && moved === 0) {
    unchanged()
    return before
  }
  const row = await team.save(tx, before, after)
  audit({ changed_fields: [...columns, ...(moved > 0 ? ['members'] : [])] })
  const changed_fields = columns.filter((column) => column !== 'scim_external_id')
  if (changed_fields.length > 0) emit(teamEvents.updated, { ...team.entryOf(row), changed_fields })
  return row
}

/** Changes the members by sets, without loading them, and tells of each person who really moved; answers how many did. */
async function changeMembers(
  context: GroupContext,
  group: { organization_id: string; id: string },
  changes: readonly MemberChange[],
): Promise<number> {
  const { tx, emit, caller } = context
  const { organization_id } = caller
  const moved = new Set<string>()
  const refusal = changes.length > 0 ? await refusalOfJoining(context, [group.id]) : null
  for (const change of changes) {
    const ids = change.kind === 'remove where' ? [] : [...new Set(change.ids)]
    if (change.kind === 'add' || change.kind === 'set') {
      const known = await usersNamed(tx, organization_id, ids)
      const stranger = ids.find((id) => !known.has(id))
      if (stranger !== undefined) throw refuse('invalidValue', `members: there is no user ${stranger}.`)
    }
    const gone = await goneBy(tx, group, change, ids)
    const come = change.kind === 'add' || change.kind === 'set' ? await addMembers(tx, group, ids) : []
    if (come.length > 0 && refusal) throw refusal
    for (const id of [...gone, ...come]) moved.has(id) ? moved.delete(id) : moved.add(id)
  }
  if (moved.size === 0) return 0
  await touchPeople(tx, organization_id, [...moved])
  const people = await tx.rows<RowFrom<typeof person>>(sql`
    select ${person.columns} from ${person.tables}
    where people.organization_id = ${organization_id} and people.id = any (${[...moved]}) order by people.id`)
  const entries = people.map((row) => ({ ...person.entryOf(row), changed_fields: ['teams'] }))
  emitAll(emit, personEvents.updated, entries)
  return moved.size
}

async function goneBy(
  tx: Context['tx'],
  group: { organization_id: string; id: string },
  change: MemberChange,
  ids: readonly string[],
): Promise<string[]> {
  if (change.kind === 'add') return []
  if (change.kind === 'remove where') {
    const { filter } = change.target
    return filter ? removeMembers(tx, group, await membersWhere(tx, group, filter)) : []
  }
  if (change.kind === 'set') return removeMembers(tx, group, ids, { except: true })
  const named = ids.filter(isId)
  return removeMembers(tx, group, named)
}
