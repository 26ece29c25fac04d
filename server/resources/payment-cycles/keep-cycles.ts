import { cancelTimer, defineTimer, setTimer, setTimers, type Timer } from '#core/jobs/timer.ts'
import type { ReactionContext } from '#core/reaction.ts'
import { addDays, startOfDay } from '#core/values.ts'
import type { Transaction } from '#db/database.ts'
import {
  type ContractRow,
  type Cycle,
  closesAt,
  contract,
  cycleContaining,
  cycleSettings,
  dueDate,
  issueDate,
  termsAt,
  termsVersions,
  type WrittenTerms,
} from '#resources/contracts/index.ts'
import { openCycles } from './payment-cycle.store.ts'
import { type PaymentCycleRow, paymentCycle } from './payment-cycle.ts'

const cycle_open = { kind: 'cycle_open', priority: 4 } as const
export const cycle_close = { kind: 'cycle_close', priority: 1 } as const

type Context = Pick<ReactionContext, 'tx' | 'newId'>

/**
 * Brings the open cycles of a locked contract in line with its terms and its last day (domain rules 3.4): the active one
 * keeps its first day, the upcoming one follows it. One that would begin after the last day is not made, and is taken
 * back once the contract has ended; until then a withdrawn termination restores it.
 */
export async function keepCycles(of: ContractRow, context: Context): Promise<void> {
  const { tx } = context
  const [versions, all] = await Promise.all([
    termsVersions(tx, of.organization_id, of.id),
    openCycles(tx, of.organization_id, [of.id]),
  ])
  const open = all.get(of.id) ?? []
  const settings = cycleSettings(versions, of.last_day)
  if (!settings) return
  const active = open.find(({ status }) => status === 'active')
  const upcoming = open.find(({ status }) => status === 'upcoming')
  const dated = (cycle: Cycle) => datesOf(of, cycle, versions)
  let next_start = upcoming?.start_date ?? of.start_date
  if (active) {
    const now = cycleContaining(settings, active.start_date)
    if (!now) throw new Error(`the active cycle ${active.id} lies outside its contract`)
    const row = await save(tx, active, { ...active, ...dated(now) })
    next_start = addDays(row.end_date, 1)
    if (row.end_date !== active.end_date) await setTimer(tx, closeTimer(row))
  }
  const next = cycleContaining(settings, next_start)
  if (!next) {
    if (upcoming && of.status !== 'active') await cancelCycle(tx, upcoming)
    return
  }
  if (upcoming) await save(tx, upcoming, { ...upcoming, ...dated(next) })
  // Without an active cycle the first one is still to come, or the last one has closed.
  else if (active) paymentCycle.insertAll(tx, [newUpcoming(of, dated(next), context)])
  else if (!(await hasCycles(tx, of))) await addFirst(of, dated(next), context)
}

/** A locked contract of which no cycle is active any more. */
interface Opening {
  of: ContractRow
  versions: readonly WrittenTerms[]
  context: Context
}

/** The cycle after a closed one becomes active, and the one after that upcoming; contracts are of one organization. */
export async function openNextCycles(openings: readonly Opening[]): Promise<void> {
  const [first] = openings
  if (!first) return
  const { tx } = first.context
  const ids = openings.map(({ of }) => of.id)
  const open = await openCycles(tx, first.of.organization_id, ids)
  const following = openings.flatMap((opening) => {
    const [upcoming] = open.get(opening.of.id) ?? []
    const { last_day } = opening.of
    return !upcoming || (last_day !== null && upcoming.start_date > last_day) ? [] : [{ ...opening, upcoming }]
  })
  const moves = following.map(({ upcoming }) => [upcoming, { ...upcoming, status: 'active' as const }] as const)
  const active = await paymentCycle.saveAll(tx, moves)
  await setTimers(tx, active.map(closeTimer))
  const added = following.flatMap(({ of, versions, context, upcoming }) => {
    const settings = cycleSettings(versions, of.last_day)
    const next = settings && cycleContaining(settings, addDays(upcoming.end_date, 1))
    return next ? [newUpcoming(of, datesOf(of, next, versions), context)] : []
  })
  paymentCycle.insertAll(tx, added)
}

/** The first day of a contract has come. */
export const cycleOpen = defineTimer({
  ...cycle_open,
  subject: 'payment_cycles',

  async fire({ organization_id, subject_id: id }, context) {
    const { contract_id } = await paymentCycle.get(context.tx, { organization_id, id })
    const of = await contract.lock(context.tx, { organization_id, id: contract_id })
    const { status } = await paymentCycle.lock(context.tx, { organization_id, id })
    if (status !== 'upcoming') return
    await openNextCycles([{ of, versions: await termsVersions(context.tx, organization_id, contract_id), context }])
    context.audit({ changed_fields: ['status'] })
  },
})

type Dates = Cycle & Pick<PaymentCycleRow, 'issue_date' | 'due_date' | 'closes_at'>

function datesOf({ timezone }: ContractRow, cycle: Cycle, versions: readonly WrittenTerms[]): Dates {
  const issue_date = issueDate(cycle.end_date)
  const due_date = dueDate(issue_date, termsAt(versions, cycle.end_date))
  return { ...cycle, issue_date, due_date, closes_at: new Date(closesAt(cycle.end_date, timezone)).toISOString() }
}

function newUpcoming(of: ContractRow, dates: Dates, { tx, newId }: Context): PaymentCycleRow {
  const { organization_id, id: contract_id, currency } = of
  const row = { ...dates, organization_id, id: newId(), contract_id, currency, status: 'upcoming' } as const
  return paymentCycle.newRow(tx, row)
}

/** Nothing has closed before it: a timer opens it. */
async function addFirst(of: ContractRow, dates: Dates, context: Context): Promise<void> {
  const row = newUpcoming(of, dates, context)
  paymentCycle.insertAll(context.tx, [row])
  const due_at = new Date(startOfDay(row.start_date, of.timezone)).toISOString()
  const { organization_id, id: subject_id, contract_id: sequence_id } = row
  await setTimer(context.tx, { ...cycle_open, organization_id, subject_id, sequence_id, due_at })
}

function closeTimer({ organization_id, id, contract_id, closes_at }: PaymentCycleRow): Timer {
  return { ...cycle_close, organization_id, subject_id: id, sequence_id: contract_id, due_at: closes_at }
}

async function cancelCycle(tx: Transaction, row: PaymentCycleRow): Promise<void> {
  await paymentCycle.save(tx, row, { ...row, status: 'cancelled' })
  await cancelTimer(tx, { ...cycle_open, organization_id: row.organization_id, subject_id: row.id })
}

async function hasCycles(tx: Transaction, { organization_id, id: contract_id }: ContractRow): Promise<boolean> {
  return (await paymentCycle.find(tx, { organization_id, contract_id })) !== undefined
}

/** Writes a cycle that differs from what is stored. */
async function save(tx: Transaction, before: PaymentCycleRow, after: PaymentCycleRow): Promise<PaymentCycleRow> {
  return paymentCycle.changes(before, after).length === 0 ? before : paymentCycle.save(tx, before, after)
}
