import type { Actor } from '#core/caller.ts'
import type { Operation } from '#core/operation.ts'
import { type FieldError, invalidState, Problem, referenceNotFound } from '#core/problems.ts'
import { Closed, Id, MultilineText, Nullable, PageOf, type Static, Type } from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'
import { type ContractRow, contract } from '#resources/contracts/index.ts'
import { addressOf, lockItem, requireUnsettled, type WorkItem } from './definition.ts'
import { lockRows, rowsById } from './work-item.store.ts'
import { requireOpenTo, type WorkItemRow } from './work-item.ts'

const reviewed_max = 100

const Verdict = Closed({
  status: Type.Enum(['approved', 'declined'], { description: 'The verdict; it stands.' }),
  reason: Type.Optional(Nullable(MultilineText(0, 500, { description: 'Words to the worker.' }))),
})
type Verdict = Static<typeof Verdict>

interface Made {
  at: string
  by: Actor
}

/** The item as its approval leaves it. */
export function toApproved<Row extends WorkItemRow>(
  row: Row,
  { at, by, reason = null }: Made & { reason?: string | null },
): Row {
  const review = { status: 'approved', reason, reviewed_by: by, reviewed_at: at } as const
  return { ...row, status: 'approved', review, approved_at: at }
}

/** A pending item as a verdict leaves it; its contract is locked. */
async function decide<Row extends WorkItemRow, Values extends object>(
  item: WorkItem<Row, Values>,
  tx: Transaction,
  { row, of }: { row: Row; of: ContractRow },
  { status, reason = null, at, by }: Verdict & Made,
): Promise<Row> {
  requireOpenTo('reviewed', row)
  await requireUnsettled(tx, of, at)
  if (status === 'declined') return { ...row, status, review: { status, reason, reviewed_by: by, reviewed_at: at } }
  const frozen = item.freeze ? await item.freeze(row, of, { tx, now: at }) : row
  return toApproved(frozen, { at, by, reason })
}

export function reviewOf<Row extends WorkItemRow, Values extends object>(item: WorkItem<Row, Values>): Operation {
  const { noun, events, tools } = item
  return {
    ...addressOf(item, 'client', 'review', `/:${item.name}_id/review`),
    summary: `Approve or decline ${item.one}`,
    method: 'POST',
    input: Closed({ ...noun.path, ...Verdict.properties }),
    output: noun.answer,
    problems: [invalidState],
    emits: [events.reviewed],
    ...(tools.review && { tool: tools.review }),

    async handle(input, context) {
      const { caller, tx, now, emit } = context
      // The cast holds because the input has passed the schema.
      const verdict = { ...(input as Verdict), at: now, by: caller.actor }
      const { of, before } = await lockItem(item, input, context, 'client')
      const row = await noun.save(tx, before, await decide(item, tx, { row: before, of }, verdict))
      emit(events.reviewed, { ...noun.entryOf(row), reviewed_by: caller.actor, reason: verdict.reason ?? null })
      return noun.show(row)
    },
  }
}

export function reviewManyOf<Row extends WorkItemRow, Values extends object>(item: WorkItem<Row, Values>): Operation {
  const { noun, events } = item
  const ids = Type.Array(Id, {
    minItems: 1,
    maxItems: reviewed_max,
    set: true,
    description: 'Each of them is pending.',
  })
  return {
    ...addressOf(item, 'client', 'review_many', '/review'),
    summary: `Approve or decline several ${item.many}`,
    description: 'All of them or none; they are answered in the order of the ids.',
    method: 'POST',
    input: Closed({ ids, ...Verdict.properties }),
    output: PageOf(noun.answer),
    problems: [invalidState, referenceNotFound],
    emits: [events.reviewed],

    async handle(input, { caller, tx, now, emit, audit }) {
      // The cast holds because the input has passed the schema.
      const { ids, ...given } = input as Verdict & { ids: string[] }
      const verdict = { ...given, at: now, by: caller.actor }
      const pending = await lockAll(item, tx, caller.organization_id, ids)
      const decided = await eachAt(pending, (at) => decide(item, tx, at, verdict))
      const rows = await Promise.all(decided.map((row, at) => noun.save(tx, pending[at]?.row ?? row, row)))
      const [entry = {}, ...more] = rows.map((row) => ({
        ...noun.entryOf(row),
        reviewed_by: caller.actor,
        reason: verdict.reason ?? null,
      }))
      emit(events.reviewed, entry, ...more)
      audit({ changed_fields: ['status', 'review'] })
      return { data: rows.map(noun.show), cursor: null, has_more: false, total_count: rows.length }
    },
  }
}

/** The items of some ids in their order, under the locks of their contracts and their own, each kind in the order of ids. */
async function lockAll<Row extends WorkItemRow, Values extends object>(
  { noun }: WorkItem<Row, Values>,
  tx: Transaction,
  organization_id: string,
  ids: readonly string[],
): Promise<{ row: Row; of: ContractRow }[]> {
  const named = await rowsById<Row>(tx, noun, organization_id, ids)
  const contract_ids = [...new Set(named.map(({ contract_id }) => contract_id))].sort()
  const contracts = new Map<string, ContractRow>()
  for (const id of contract_ids) contracts.set(id, await contract.lock(tx, { organization_id, id }))
  const rows = new Map((await lockRows<Row>(tx, noun, organization_id, ids)).map((row) => [row.id, row]))
  const found = ids.map((id) => {
    const row = rows.get(id)
    const of = row && contracts.get(row.contract_id)
    return row && of && { row, of }
  })
  const missing = found.flatMap((each, at) => (each ? [] : [{ pointer: `/ids/${at}`, message: 'does not exist' }]))
  if (missing.length > 0) throw referenceNotFound(undefined, { errors: missing })
  return found.flatMap((each) => each ?? [])
}

/** The result for each; what refuses some of them is told of all at once, by their places among the ids. */
async function eachAt<Each, Result>(all: readonly Each[], make: (each: Each) => Promise<Result>): Promise<Result[]> {
  const refused: FieldError[] = []
  const results: Result[] = []
  for (const [at, each] of all.entries()) {
    try {
      results.push(await make(each))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      refused.push({ pointer: `/ids/${at}`, message: error.message })
    }
  }
  if (refused.length > 0) throw invalidState(undefined, { errors: refused })
  return results
}
