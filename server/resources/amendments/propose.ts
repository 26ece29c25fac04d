import type { Context } from '#core/operation.ts'
import {
  amountPrecision,
  dateOutOfRange,
  invalidState,
  type Problem,
  sensitiveDataRequired,
  validationFailed,
} from '#core/problems.ts'
import { businessDate } from '#core/values.ts'
import { type ContractRow, invalidTerms, termsVersions } from '#resources/contracts/index.ts'
import { amendmentsIn } from './amendment.store.ts'
import type { Proposal } from './amendment.ts'
import { type Plan, type PlanRefusal, planAmendment, type Standing } from './plan.ts'
import { effectiveDateNotCycleStart, effectiveDateTaken, nothingToChange } from './problems.ts'

type Now = Pick<Context, 'tx' | 'now'>
type Proposing = Now & Pick<Context, 'caller'>

const problemsByCode = {
  validation_failed: validationFailed,
  effective_date_taken: effectiveDateTaken,
  invalid_terms: invalidTerms,
  amount_precision: amountPrecision,
  date_out_of_range: dateOutOfRange,
  effective_date_not_cycle_start: effectiveDateNotCycleStart,
  nothing_to_change: nothingToChange,
}

/** Problems that a draft can be refused with. */
export const proposalProblems = [invalidState, sensitiveDataRequired, ...Object.values(problemsByCode)]

/** Reads the facts that the amendments of a locked contract are judged by. */
export async function standingOf(contract: ContractRow, { tx, now }: Now): Promise<Standing> {
  const { organization_id, id, type, currency, start_date, last_day, timezone } = contract
  const [versions, approved] = await Promise.all([
    termsVersions(tx, organization_id, id),
    amendmentsIn(tx, organization_id, id, ['approved']),
  ])
  return {
    type,
    currency,
    start_date,
    last_day,
    versions,
    // An approved amendment has its date; the database demands it.
    approved: approved.map(({ effective_date, terms }) => ({ effective_date: effective_date ?? '', terms })),
    today: businessDate(now, timezone),
  }
}

/** A draft as it is stored, or the problem with it. Its date stays open where the client left it open. */
export async function propose(
  contract: ContractRow,
  change: Pick<Proposal, 'terms' | 'effective_date'>,
  context: Proposing,
): Promise<Proposal> {
  if (contract.status !== 'active') {
    throw invalidState(`The contract is ${contract.status}; only an active one is amended.`)
  }
  const plan = planAmendment(await standingOf(contract, context), change, 'draft')
  if (change.terms.amount !== undefined && !context.caller.sensitive_data.has('compensation')) refuseBlindRaise(plan)
  if (Array.isArray(plan)) throw proposalProblem(plan)
  const { terms, changes } = plan
  const { amount, scale } = terms
  return {
    effective_date: change.effective_date,
    // Money has one form on the wire: exactly the decimals of its currency.
    terms: change.terms.amount === undefined ? change.terms : { ...change.terms, amount },
    changes,
    amount,
    scale,
  }
}

/** Only a caller that may see the amount in force learns whether an amount alone changes anything. */
function refuseBlindRaise(plan: Plan | PlanRefusal[]): void {
  const depends = Array.isArray(plan)
    ? plan.some(({ code }) => code === 'nothing_to_change')
    : plan.changes.every(({ field }) => field === 'amount')
  if (!depends) return
  const message = 'is the only term that changes, if it does: only a credential with the category compensation can say'
  throw sensitiveDataRequired(undefined, { errors: [{ pointer: '/terms/amount', message }] })
}

/** One problem for everything that is wrong; the gravest code names it, `errors` holds all. */
function proposalProblem(refusals: readonly PlanRefusal[]): Problem {
  const codes = Object.keys(problemsByCode) as PlanRefusal['code'][]
  const code = codes.find((candidate) => refusals.some((refusal) => refusal.code === candidate)) ?? 'invalid_terms'
  return problemsByCode[code](undefined, { errors: refusals.map(({ pointer, message }) => ({ pointer, message })) })
}
