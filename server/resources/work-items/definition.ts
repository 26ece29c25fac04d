import type { TProperties } from 'typebox'
import type { Caller, Role } from '#core/caller.ts'
import type { Context, Operation, ToolDefinition } from '#core/operation.ts'
import { invalidState, type ProblemType } from '#core/problems.ts'
import type { Page } from '#core/schema/schema.ts'
import type { Noun } from '#core/standard-operations.ts'
import { valueIn } from '#core/table.ts'
import type { Sql, Transaction } from '#db/database.ts'
import { type ContractRow, contract } from '#resources/contracts/index.ts'
import { workerOf } from '#resources/people/index.ts'
import { isSettled, type Stored } from './work-item.store.ts'
import type { WorkItemEvents, WorkItemRow } from './work-item.ts'

interface WorkItemNoun<Row> extends Noun<Row>, Stored {
  page(context: Pick<Context, 'caller' | 'tx' | 'page'>, values: object, also?: readonly Sql[]): Promise<Page<object>>
}

/** Business time, and a transaction to read in. */
export type Reading = Pick<Context, 'tx' | 'now'>

/** One kind of work items: its definition, its events, and the rules of its own. */
export interface WorkItem<Row extends WorkItemRow, Values extends object> {
  readonly noun: WorkItemNoun<Row>
  /** As the ids of operations have it: `timesheet`, and `timesheets`. */
  readonly name: string
  readonly names: string
  /** For the reference: `a timesheet`, `timesheets`. */
  readonly one: string
  readonly many: string
  readonly scope: 'timesheets' | 'invoice-adjustments'
  readonly events: WorkItemEvents
  /** The inputs of the worker’s create and change, where they have less than those of the client. */
  readonly of_worker?: { readonly create: TProperties; readonly change: TProperties }
  /** Problems of a create and a change beside those of all work items. */
  readonly problems: readonly ProblemType[]
  /** Fields that change also when the item is approved, beside `external_id`. */
  readonly open_when_approved?: readonly string[]
  readonly tools: Partial<Record<'list' | 'create' | 'get' | 'review' | 'submit', ToolDefinition<object>>>
  /** Brings values into the form that is stored, whatever the state of the item is, or refuses them. */
  accept?(values: Values, of: ContractRow, context: Reading): object
  /** Judges the values, as `accept` has left them, by the contract, and gives those that follow. */
  derive(values: Values, of: ContractRow, context: Reading): Promise<object> | object
  /** Gives an item its last form when it is approved. */
  freeze?(row: Row, of: ContractRow, context: Reading): Promise<Row>
}

/** Work is entered by the client for everybody, and by a worker for itself. */
export type Audience = 'client' | 'worker'

/** Roles that may write. */
const roles: readonly Role[] = ['owner', 'admin', 'finance']

/** Id, path and rights: `timesheets.create` on /timesheets, `worker.create_timesheet` on /worker/timesheets. */
export function addressOf(
  { names, name, scope }: { names: string; name: string; scope: 'timesheets' | 'invoice-adjustments' },
  audience: Audience,
  verb: string,
  below: string,
): Pick<Operation, 'id' | 'path' | 'scopes' | 'subject' | 'roles'> {
  const path = `/${names.replaceAll('_', '-')}${below}` as const
  const reads = verb === 'list' || verb === 'get'
  const right = reads ? 'read' : 'write'
  if (audience === 'worker') {
    const id = `worker.${verb}_${verb === 'list' ? names : name}`
    return { id, path: `/worker${path}`, scopes: [`worker:${right}`], subject: names }
  }
  return { id: `${names}.${verb}`, path, scopes: [`${scope}:${right}`], ...(!reads && { roles }) }
}

/** The rows that a caller works with. */
export const rowsOf = (audience: Audience, caller: Caller): { organization_id: string; worker_id?: string } => ({
  organization_id: caller.organization_id,
  ...(audience === 'worker' && { worker_id: workerOf(caller) }),
})

/** Work is entered and reviewed while its contract is active, and after its end until it is settled (domain rules 2.5). */
export async function requireUnsettled(tx: Transaction, of: ContractRow, now: string): Promise<void> {
  const has_ended = of.status === 'completed' || of.status === 'terminated'
  if (of.status !== 'active' && !has_ended)
    throw invalidState(`The contract is ${of.status} and has never been active.`)
  if (has_ended && (await isSettled(tx, of, now))) throw invalidState('The contract has ended and has been settled.')
}

/** The item that a path names, among the rows that the caller works with. */
export const matchOf = (
  { name }: { name: string },
  input: object,
  { caller }: Pick<Context, 'caller'>,
  audience: Audience,
) => ({
  ...rowsOf(audience, caller),
  id: String(valueIn(input, `${name}_id`)),
})

/** The same item, with its contract locked first and then itself; an item never changes its contract. */
export async function lockItem<Row extends WorkItemRow, Values extends object>(
  item: WorkItem<Row, Values>,
  input: object,
  context: Pick<Context, 'caller' | 'tx'>,
  audience: Audience,
  lock = item.noun.lock,
): Promise<{ of: ContractRow; before: Row }> {
  const match = matchOf(item, input, context, audience)
  const { organization_id, contract_id } = await item.noun.get(context.tx, match)
  const of = await contract.lock(context.tx, { organization_id, id: contract_id })
  return { of, before: await lock(context.tx, match) }
}
