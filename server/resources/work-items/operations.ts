import type { Context, Operation } from '#core/operation.ts'
import { dateOutOfRange, invalidState, referenceNotFound } from '#core/problems.ts'
import { Closed, PageInput, PageOf, Text, Type } from '#core/schema/schema.ts'
import { changedFields } from '#core/standard-operations.ts'
import { valueIn } from '#core/table.ts'
import { contract } from '#resources/contracts/index.ts'
import { type Audience, addressOf, lockItem, matchOf, requireUnsettled, rowsOf, type WorkItem } from './definition.ts'
import { reviewManyOf, reviewOf, toApproved } from './review.ts'
import { ofWorker } from './work-item.store.ts'
import { closedTo, contractTypeUnsupported, isOpenTo, requireOpenTo, type WorkItemRow } from './work-item.ts'

/**
 * The operations that work items have alike (domain rules 3.3): list, create, get, update, delete, each for the client and
 * for the worker, and the reviews by the client. Every change locks the contract before the item, as invoicing does.
 */
export function defineWorkItemOperations<Row extends WorkItemRow, Values extends object>(
  item: WorkItem<Row, Values>,
): Operation[] {
  const both = [listOf, createOf, getOf, updateOf, deleteOf].flatMap((make) => [
    make(item, 'client'),
    make(item, 'worker'),
  ])
  return [...both, reviewOf(item), reviewManyOf(item)]
}

function listOf<Row extends WorkItemRow, Values extends object>(
  item: WorkItem<Row, Values>,
  audience: Audience,
): Operation {
  const { noun, tools } = item
  const { worker_id: _, ...of_worker } = noun.filters
  return {
    ...addressOf(item, audience, 'list', ''),
    summary: audience === 'client' ? `List ${item.many}` : `List the calling worker’s ${item.many}`,
    method: 'GET',
    input: Closed({ ...PageInput, ...(audience === 'client' ? noun.filters : of_worker) }),
    output: PageOf(noun.answer),
    problems: [referenceNotFound],
    ...(audience === 'client' && tools.list && { tool: tools.list }),

    async handle(filter, context) {
      const { worker_id } = rowsOf(audience, context.caller)
      if (worker_id === undefined) return noun.page(context, filter)
      const contract_id = valueIn(filter, 'contract_id')
      if (contract_id !== undefined) await contractNamed(context, audience, contract_id)
      return noun.page(context, filter, [ofWorker(noun, worker_id)])
    },
  }
}

function getOf<Row extends WorkItemRow, Values extends object>(
  item: WorkItem<Row, Values>,
  audience: Audience,
): Operation {
  const { noun, tools } = item
  return {
    ...addressOf(item, audience, 'get', `/:${item.name}_id`),
    summary: audience === 'client' ? `Get ${item.one}` : `Get ${item.one} of the calling worker`,
    method: 'GET',
    input: Closed(noun.path),
    output: noun.answer,
    ...(audience === 'client' && tools.get && { tool: tools.get }),
    lock: (input, context) => noun.lock(context.tx, matchOf(item, input, context, audience)),
    handle: async (input, context) => noun.show(await noun.get(context.tx, matchOf(item, input, context, audience))),
  }
}

function createOf<Row extends WorkItemRow, Values extends object>(
  item: WorkItem<Row, Values>,
  audience: Audience,
): Operation {
  const { noun, events, tools, of_worker } = item
  const auto_approve = Type.Boolean({ default: true, description: 'False leaves it for a review.' })
  const tool = audience === 'client' ? tools.create : tools.submit
  return {
    ...addressOf(item, audience, 'create', ''),
    summary: audience === 'client' ? `Create ${item.one}` : `Submit ${item.one} for review`,
    ...(audience === 'client' && { description: 'It is approved at once, unless `auto_approve` is false.' }),
    method: 'POST',
    input: Closed(audience === 'client' ? { ...noun.create, auto_approve } : (of_worker?.create ?? noun.create)),
    output: noun.answer,
    status: 201,
    problems: [...entry_problems, ...noun.duplicates.create, ...item.problems],
    emits: audience === 'client' ? [events.created, events.reviewed] : [events.created],
    ...(tool && { tool }),

    async handle(input, context) {
      const { caller, tx, now, emit, newId } = context
      const of = await contract.lock(tx, await contractNamed(context, audience, valueIn(input, 'contract_id')))
      // The cast holds because the input has passed the schema of a create.
      const given = noun.given(input) as Values
      const values = { ...given, ...item.accept?.(given, of, context) }
      await requireUnsettled(tx, of, now)
      const derived = await item.derive(values, of, context)
      const { organization_id, worker_id, worker_email, worker_name } = of
      const whose = { organization_id, worker_id, worker_email, worker_name }
      const own = { ...whose, id: newId(), submitted_by: caller.actor }
      // The cast holds because whatever is required was given or derived.
      const entered = noun.newRow(tx, { ...values, ...derived, ...own } as never)
      const approves = valueIn(input, 'auto_approve') === true
      const row = approves ? toApproved(entered, { at: now, by: caller.actor }) : entered
      await noun.insert(tx, row)
      emit(events.created, noun.entryOf(row))
      if (approves) emit(events.reviewed, { ...noun.entryOf(row), reviewed_by: caller.actor, reason: null })
      return noun.show(row)
    },
  }
}

function updateOf<Row extends WorkItemRow, Values extends object>(
  item: WorkItem<Row, Values>,
  audience: Audience,
): Operation {
  const { noun, events, of_worker, open_when_approved = [] } = item
  return {
    ...addressOf(item, audience, 'update', `/:${item.name}_id`),
    summary: audience === 'client' ? `Change ${item.one}` : `Change ${item.one} that the calling worker submitted`,
    description: `Only while it is pending${audience === 'client' ? ', but for external_id' : ''}.`,
    method: 'PATCH',
    input: Closed({ ...noun.path, ...(audience === 'worker' && of_worker ? of_worker.change : noun.change) }),
    output: noun.answer,
    problems: [
      ...entry_problems.filter((problem) => problem !== referenceNotFound),
      ...noun.duplicates.update,
      ...item.problems,
    ],
    emits: [events.updated],

    async handle(input, context) {
      const { caller, tx, now, emit, audit, unchanged } = context
      const { of, before } = await lockItem(item, input, context, audience)
      // The casts hold because a row has the values of its input, and a change those that the schema lets pass.
      const given = noun.merged(before, input, caller) as Partial<Values>
      const wished = { ...before, ...given } as Row & Values
      const after = { ...wished, ...item.accept?.(wished, of, context) }
      const changed_fields = changedFields(noun, before, after, given, caller)
      if (changed_fields.length === 0) {
        unchanged()
        return noun.show(before)
      }
      const is_own = audience === 'client' || before.submitted_by.kind === 'worker'
      const open =
        audience === 'client' ? ['external_id', ...(before.status === 'approved' ? open_when_approved : [])] : []
      const entered = is_own && isOpenTo('changed', before)
      if (!entered) refuseClosed(before, changed_fields, open, is_own)
      if (entered) await requireUnsettled(tx, of, now)
      const derived = entered ? await item.derive(after, of, context) : {}
      const row = await noun.save(tx, before, { ...after, ...derived })
      emit(events.updated, { ...noun.entryOf(row), changed_fields })
      audit({ changed_fields })
      return noun.show(row)
    },
  }
}

function refuseClosed(row: WorkItemRow, changed: readonly string[], open: readonly string[], is_own: boolean): void {
  const closed = changed.filter((field) => !open.includes(field))
  if (closed.length === 0) return
  const why = is_own ? closedTo('changed', row) : 'The company has entered it.'
  throw invalidState(why, {
    errors: closed.map((field) => ({ pointer: `/${field}`, message: 'can no longer change' })),
  })
}

function deleteOf<Row extends WorkItemRow, Values extends object>(
  item: WorkItem<Row, Values>,
  audience: Audience,
): Operation {
  const { noun, events } = item
  return {
    ...addressOf(item, audience, 'delete', `/:${item.name}_id`),
    summary: audience === 'client' ? `Delete ${item.one}` : `Delete ${item.one} that the calling worker submitted`,
    description: audience === 'client' ? 'One that is on no invoice.' : 'A pending one.',
    method: 'DELETE',
    input: Closed({ ...noun.path, reason: Type.Optional(Text(0, 500, { description: 'Why it is removed.' })) }),
    output: Type.Null(),
    status: 204,
    problems: [invalidState],
    emits: [events.deleted],

    async handle(input, context) {
      const { tx, emit } = context
      const { before } = await lockItem(item, input, context, audience, noun.lockToRemove)
      requireOpenTo('deleted', before)
      if (audience === 'worker') {
        requireOpenTo('changed', before)
        if (before.submitted_by.kind !== 'worker') throw invalidState('The company has entered it.')
      }
      const row = await noun.save(tx, before, { ...before, deleted_at: tx.now })
      emit(events.deleted, { ...noun.entryOf(row), reason: valueIn(input, 'reason') ?? null })
      return null
    },
  }
}

/** Problems of entering work of every kind. */
const entry_problems = [invalidState, contractTypeUnsupported, dateOutOfRange, referenceNotFound]

/** The contract that an input names; of a worker one of its own. */
async function contractNamed({ caller, tx }: Pick<Context, 'caller' | 'tx'>, audience: Audience, contract_id: unknown) {
  const match = { ...rowsOf(audience, caller), id: String(contract_id) }
  if (await contract.find(tx, match)) return match
  throw referenceNotFound(undefined, { errors: [{ pointer: '/contract_id', message: 'does not exist' }] })
}
