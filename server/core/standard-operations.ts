import type { TProperties, TSchema } from 'typebox'
import type { Transaction } from '#db/database.ts'
import type { Caller, Role, Scope, SensitiveCategory } from './caller.ts'
import type { Context, EventType, Operation, ToolDefinition } from './operation.ts'
import { type ProblemType, sensitiveDataRequired } from './problems.ts'
import type { Happening } from './reaction.ts'
import { writesWithheld } from './schema/labels.ts'
import { Closed, type Page, PageInput, PageOf, Type } from './schema/schema.ts'
import { valueIn } from './table.ts'

type Verb = 'list' | 'create' | 'get' | 'update' | 'delete'
type RowId = { organization_id: string; id: string }

/** The parts of a noun's definition (`defineResource`) that its standard operations are made of. */
export interface Noun<Row> {
  readonly answer: TSchema
  readonly path: TProperties
  readonly create: TProperties
  readonly change: TProperties
  readonly filters: TProperties
  readonly duplicates: Readonly<Record<'create' | 'update', readonly ProblemType[]>>
  readonly categories: ReadonlyMap<string, SensitiveCategory>
  given(input: object): object
  merged(before: NoInfer<Row>, input: object, caller: Caller): object
  newRow(tx: Transaction, values: never): NoInfer<Row>
  insert(tx: Transaction, row: NoInfer<Row>): Promise<boolean>
  lock(tx: Transaction, match: RowId): Promise<Row>
  lockToRemove(tx: Transaction, match: RowId): Promise<Row>
  get(tx: Transaction, match: RowId): Promise<Row>
  save(tx: Transaction, before: Row, after: Row): Promise<Row>
  changes(before: Row, after: Row): string[]
  refer(tx: Transaction, organization_id: string, given: object): Promise<object>
  show(row: NoInfer<Row>): object
  page(context: Pick<Context, 'caller' | 'tx' | 'page'>, values: object): Promise<Page<object>>
  entryOf(row: NoInfer<Row>): Record<string, unknown>
}

/** The events of a noun being stored, changed (with `changed_fields`) and removed. */
export interface ChangeEvents {
  readonly created: EventType
  readonly updated: EventType
  readonly deleted: EventType
}

/** The parts of a noun's standard operations that its removal is made of. */
type Removal<Row> = Pick<Standard<Row>, 'events' | 'removing' | 'removed' | 'release' | 'follow'>

interface Standard<Row> {
  /** In the plural: the operations are `<id>.list`, …, below `/<id>` with hyphens. */
  readonly id: string
  /** `a department`, for the reference. */
  readonly one: string
  readonly read: Scope
  readonly write: Scope
  /** Roles that may write. */
  readonly roles: readonly Role[]
  readonly events: ChangeEvents
  readonly description?: Partial<Record<Verb, string>>
  readonly problems?: Partial<Record<Verb, readonly ProblemType[]>>
  /** Events beside its own that its rules cause. */
  readonly also_emits?: Partial<Record<Verb, readonly EventType[]>>
  readonly tools?: Partial<Record<Verb, ToolDefinition<never>>>
  /** Completes a new or changed row by rules of its own, or refuses it; `before` is null for a new one. */
  complete?(after: Row, before: Row | null, context: Context, input: object): Promise<Row> | Row
  /** Category that a removal asks for, since its refusal tells something of that category. */
  readonly removal_tells?: SensitiveCategory
  /** Happens before a removal: nouns that depend on the row refuse it, or react. */
  readonly removing?: Happening<Row>
  /** Changes the row that a removal leaves behind. */
  removed?(row: Row): Partial<Row>
  /** Does what goes with a removal, or refuses it. */
  release?(row: Row, context: Context): Promise<unknown>
  /** Does what follows a removal that is written and told. */
  follow?(row: Row, before: Row, context: Context): Promise<unknown>
}

/**
 * The operations that most nouns have alike (domain design 4): list, create, get, update, delete. What a row refers to is
 * held while it is written, a change that changes nothing says so, and a removed row stays behind with `deleted_at`.
 */
export function defineStandardOperations<Row extends RowId>(noun: Noun<Row>, standard: Standard<Row>): Operation[] {
  return [listOf, createOf, getOf, updateOf, deleteOf].map((make) => make(noun, standard))
}

function listOf<Row extends RowId>(noun: Noun<Row>, standard: Standard<Row>): Operation {
  return {
    ...readOf(noun, standard, 'list'),
    summary: `List ${standard.id.replaceAll('_', ' ')}`,
    path: pathOf(standard),
    input: Closed({ ...PageInput, ...noun.filters }),
    output: PageOf(noun.answer),
    handle: (filter, context) => noun.page(context, filter),
  }
}

function getOf<Row extends RowId>(noun: Noun<Row>, standard: Standard<Row>): Operation {
  return {
    ...readOf(noun, standard, 'get'),
    summary: `Get ${standard.one}`,
    path: singlePathOf(noun, standard),
    input: Closed(noun.path),
    output: noun.answer,
    lock: (input, context) => noun.lock(context.tx, named(noun, input, context)),
    handle: async (input, context) => noun.show(await noun.get(context.tx, named(noun, input, context))),
  }
}

function createOf<Row extends RowId>(noun: Noun<Row>, standard: Standard<Row>): Operation {
  const { one, events, complete = keep } = standard
  return {
    ...writeOf(noun, standard, 'create'),
    summary: `Create ${one}`,
    method: 'POST',
    path: pathOf(standard),
    input: Closed(noun.create),
    output: noun.answer,
    status: 201,
    emits: [events.created, ...(standard.also_emits?.create ?? [])],
    async handle(input, context) {
      const { caller, tx, emit, newId } = context
      const { organization_id } = caller
      const given = noun.given(input)
      const names = await noun.refer(tx, organization_id, given)
      // The cast holds because the input has passed the schema of a create.
      const begun = noun.newRow(tx, { ...given, ...names, organization_id, id: newId() } as never)
      const row = await complete(begun, null, context, input)
      await noun.insert(tx, row)
      emit(events.created, noun.entryOf(row))
      return noun.show(row)
    },
  }
}

function updateOf<Row extends RowId>(noun: Noun<Row>, standard: Standard<Row>): Operation {
  const { one, events } = standard
  return {
    ...writeOf(noun, standard, 'update'),
    summary: `Change ${one}`,
    method: 'PATCH',
    path: singlePathOf(noun, standard),
    input: Closed({ ...noun.path, ...noun.change }),
    output: noun.answer,
    emits: [events.updated, ...(standard.also_emits?.update ?? [])],
    handle: async (input, context) =>
      noun.show(await changeRow(noun, standard, named(noun, input, context), input, context)),
  }
}

/** Changes a row as its noun's update does, whichever of its fields the operation lets a caller write. */
export async function changeRow<Row extends RowId>(
  noun: Noun<Row>,
  { events, complete = keep }: Pick<Standard<Row>, 'events' | 'complete'>,
  match: RowId,
  input: object,
  context: Context,
): Promise<Row> {
  const { caller, tx, emit, audit, unchanged } = context
  const before = await noun.lock(tx, match)
  const given = noun.merged(before, input, caller)
  const names = await noun.refer(tx, match.organization_id, given)
  const after = await complete({ ...before, ...given, ...names }, before, context, input)
  const changed_fields = changedFields(noun, before, after, given, caller)
  if (changed_fields.length === 0) {
    unchanged()
    return before
  }
  const row = await noun.save(tx, before, after)
  emit(events.updated, { ...noun.entryOf(row), changed_fields })
  audit({ changed_fields })
  return row
}

/** The given columns that differ. One that the caller may not see counts, equal or not: the answer must not tell which. */
export function changedFields<Row>(
  noun: Pick<Noun<Row>, 'changes' | 'categories'>,
  before: Row,
  after: Row,
  given: object,
  { sensitive_data }: Caller,
) {
  const different = noun.changes(before, after)
  return Object.keys(given).filter((column) => {
    const category = noun.categories.get(column)
    if (different.includes(column) || (category !== undefined && !sensitive_data.has(category))) return true
    return writesWithheld(valueIn(Object(after), `shown_${column}`), valueIn(given, column), sensitive_data)
  })
}

function deleteOf<Row extends RowId>(noun: Noun<Row>, standard: Standard<Row>): Operation {
  const { one, events, also_emits, removing } = standard
  return {
    ...writeOf(noun, standard, 'delete'),
    summary: `Delete ${one}`,
    method: 'DELETE',
    path: singlePathOf(noun, standard),
    input: Closed(noun.path),
    output: Type.Null(),
    status: 204,
    // Read when it is asked for: those who react are known once every noun is loaded.
    get emits() {
      return [events.deleted, ...(removing?.emits ?? []), ...(also_emits?.delete ?? [])]
    },
    async handle(input, context) {
      const { removal_tells } = standard
      if (removal_tells && !context.caller.sensitive_data.has(removal_tells)) throw sensitiveDataRequired()
      const before = await noun.lockToRemove(context.tx, named(noun, input, context))
      await removeRow(noun, standard, before, context)
      return null
    },
  }
}

/** Removes a row that is locked for it, as its noun's delete does; answers what stays behind of it. */
export async function removeRow<Row extends RowId>(
  noun: Pick<Noun<Row>, 'save' | 'entryOf'>,
  { events, removing, removed, release, follow }: Removal<Row>,
  before: Row,
  context: Context,
): Promise<Row> {
  const { caller, tx, emit } = context
  await removing?.happen(before, { ...context, actor: caller.actor })
  await release?.(before, context)
  const row = await noun.save(tx, before, { ...before, ...removed?.(before), deleted_at: tx.now })
  emit(events.deleted, noun.entryOf(row))
  await follow?.(row, before, context)
  return row
}

const keep = <Row>(row: Row): Row => row

const pathOf = ({ id }: { id: string }) => `/${id.replaceAll('_', '-')}` as const
const idFieldOf = ({ path }: { path: TProperties }) => Object.keys(path)[0] ?? ''
const singlePathOf = (noun: { path: TProperties }, standard: { id: string }) =>
  `${pathOf(standard)}/:${idFieldOf(noun)}` as const

const named = (noun: { path: TProperties }, input: object, { caller }: Pick<Context, 'caller'>): RowId => ({
  organization_id: caller.organization_id,
  id: String(valueIn(input, idFieldOf(noun))),
})

type Duplicates = Pick<Noun<never>, 'duplicates'>

function wordsOf<Row>({ duplicates }: Duplicates, { id, description, problems, tools }: Standard<Row>, verb: Verb) {
  const { [verb]: refused = [] }: Partial<Record<Verb, readonly ProblemType[]>> = duplicates
  const { [verb]: words } = description ?? {}
  const { [verb]: tool } = tools ?? {}
  return {
    id: `${id}.${verb}`,
    problems: [...refused, ...(problems?.[verb] ?? [])],
    ...(words && { description: words }),
    ...(tool && { tool }),
  }
}

const readOf = <Row>(noun: Duplicates, standard: Standard<Row>, verb: Verb) =>
  ({ ...wordsOf(noun, standard, verb), method: 'GET', scopes: [standard.read] }) as const

const writeOf = <Row>(noun: Duplicates, standard: Standard<Row>, verb: Verb) => ({
  ...wordsOf(noun, standard, verb),
  scopes: [standard.write],
  roles: standard.roles,
})
