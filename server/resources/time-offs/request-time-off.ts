import { type Caller, system_actor } from '#core/caller.ts'
import { type Context, defineOperation } from '#core/operation.ts'
import { dateOutOfRange, invalidState, notFound, referenceNotFound, sensitiveDataRequired } from '#core/problems.ts'
import { Closed, type Static, Type } from '#core/schema/schema.ts'
import { workerOf } from '#resources/people/index.ts'
import { type TimeOffPolicyRow, timeOffPolicy } from '#resources/time-off-policies/index.ts'
import { allowanceIn, countDays, daysOf, halvesOf, yearOf } from './days.ts'
import { keepTimer, reviewed } from './move-time-off.ts'
import { insufficientEntitlement, timeOffOverlap } from './problems.ts'
import { type Absentee, absenteeOf, overlapping, takenBeside } from './time-off.store.ts'
import { requireStatus, type TimeOffRow, timeOff, timeOffCreated, timeOffReviewed, timeOffUpdated } from './time-off.ts'

const { person_id: OfPerson, ...Request } = timeOff.create

/** Problems of every request. */
const refusals = [timeOffOverlap, insufficientEntitlement, sensitiveDataRequired, dateOutOfRange] as const
const requesting = {
  method: 'POST',
  output: timeOff.answer,
  status: 201,
  problems: [...refusals, ...timeOff.duplicates.create, referenceNotFound],
  emits: [timeOffCreated, timeOffReviewed],
} as const

export const createTimeOff = defineOperation({
  ...requesting,
  id: 'time_offs.create',
  summary: 'Request time off for a person',
  description: 'Approved at once where the policy asks for no approval, or with `auto_approve`.',
  path: '/time-offs',
  scopes: ['time-off:write'],
  roles: ['owner', 'admin'],
  input: Closed({
    person_id: OfPerson,
    ...Request,
    auto_approve: Type.Boolean({ default: false, description: 'Approve it in the same call.' }),
  }),
  tool: {
    name: 'create_time_off',
    text: 'Request time off for a person. Balances: list_time_off_entitlements.',
    example: {
      person_id: '019b8d64-4f40-7d13-8e20-44b1c7f9a035',
      policy_id: '019b8d63-1180-7b52-8a37-5d1f9e06c4b8',
      start_date: '2027-08-02',
      end_date: '2027-08-13',
    },
  },

  handle: ({ auto_approve, ...request }, context) => store(request, context, auto_approve),
})

export const workerRequestTimeOff = defineOperation({
  ...requesting,
  id: 'worker.request_time_off',
  subject: 'time_offs',
  summary: 'Request time off for oneself',
  path: '/worker/time-offs',
  scopes: ['worker:write'],
  input: Closed(Request),

  handle: (request, context) => store({ ...request, person_id: workerOf(context.caller) }, context, false),
})

async function store(
  request: Static<ReturnType<typeof Closed<typeof timeOff.create>>>,
  { caller, tx, now, newId, emit }: Context,
  auto_approve: boolean,
) {
  const { organization_id } = caller
  const absentee = await absenteeOf(tx, organization_id, request.person_id, true)
  if (!absentee || absentee.deleted_at !== null) {
    throw referenceNotFound(undefined, { errors: [{ pointer: '/person_id', message: 'does not exist' }] })
  }
  const given = timeOff.given(request)
  const { name: policy_name } = await timeOffPolicy.hold(tx, { organization_id, id: given.policy_id }, '/policy_id')
  const policy = await policyOf(tx, { organization_id, policy_id: given.policy_id })
  const halves = { start_half_day: given.start_half_day ?? false, end_half_day: given.end_half_day ?? false }
  const requested = timeOff.newRow(tx, {
    ...given,
    ...halves,
    ...countDays({ ...given, ...halves }, policy.counting),
    organization_id,
    id: newId(),
    policy_name,
    person_email: absentee.email,
    person_name: absentee.full_name,
    leave_type: policy.leave_type,
    is_paid: policy.is_paid,
    status: 'requested',
    requested_by: caller.actor,
  })
  await requireFree(tx, requested)
  if (isLimited(policy)) {
    requireBalances(caller)
    await requireEntitled(tx, requested, policy, absentee, 'request')
  }
  const is_approved = auto_approve || !policy.requires_approval
  const reviewed_by = auto_approve ? caller.actor : system_actor
  const row = is_approved ? reviewed(requested, { status: 'approved', reviewed_by, reviewed_at: now }) : requested
  await timeOff.insert(tx, row)
  await keepTimer(tx, requested, row, absentee, now)
  emit(timeOffCreated, timeOff.entryOf(requested))
  if (is_approved) emit(timeOffReviewed, { ...timeOff.entryOf(row), reviewed_by })
  return timeOff.show(row)
}

export const updateTimeOff = defineOperation({
  id: 'time_offs.update',
  summary: 'Change a request for time off',
  description: 'Only before it is approved or rejected.',
  method: 'PATCH',
  path: '/time-offs/:time_off_id',
  scopes: ['time-off:write'],
  roles: ['owner', 'admin'],
  input: Closed({ ...timeOff.path, ...timeOff.change }),
  output: timeOff.answer,
  problems: [invalidState, ...refusals, ...timeOff.duplicates.update],
  emits: [timeOffUpdated],

  async handle({ time_off_id, ...change }, context) {
    const { caller, tx, emit, audit, unchanged, writes_withheld } = context
    const { before, absentee } = await lockTimeOff(tx, caller, time_off_id)
    requireStatus(before, 'requested')
    const named = { ...before, ...timeOff.changed(change) }
    const different = timeOff.changes(before, named)
    const changed_fields = Object.keys(change).filter(
      (name) => different.includes(name) || (name === 'reason' && writes_withheld),
    )
    if (changed_fields.length === 0) {
      unchanged()
      return timeOff.show(before)
    }
    const moves_days = changed_fields.some((name) => name.startsWith('start_') || name.startsWith('end_'))
    const after = moves_days ? await moveDays(named, context, absentee) : named
    const row = await timeOff.save(tx, before, after)
    emit(timeOffUpdated, { ...timeOff.entryOf(row), changed_fields })
    audit({ changed_fields })
    return timeOff.show(row)
  },
})

/** The policy decides whether other days fit, and it is withheld: who may not see it moves none. */
async function moveDays(row: TimeOffRow, { caller, tx }: Context, absentee: Absentee): Promise<TimeOffRow> {
  requireBalances(caller)
  const policy = await policyOf(tx, row)
  const after = { ...row, ...countDays(row, policy.counting) }
  await requireFree(tx, after)
  await requireEntitled(tx, after, policy, absentee, 'request')
  return after
}

/** A time off that is about to change, under the lock of its person. Throws `not_found`. */
export async function lockTimeOff(tx: Context['tx'], { organization_id }: { organization_id: string }, id: string) {
  const { person_id } = await timeOff.get(tx, { organization_id, id })
  const absentee = await absenteeOf(tx, organization_id, person_id, true)
  if (!absentee) throw notFound()
  return { before: await timeOff.lock(tx, { organization_id, id }), absentee }
}

export function policyOf(
  tx: Context['tx'],
  { organization_id, policy_id: id }: Pick<TimeOffRow, 'organization_id' | 'policy_id'>,
): Promise<TimeOffPolicyRow> {
  return timeOffPolicy.get(tx, { organization_id, id })
}

async function requireFree(tx: Context['tx'], row: TimeOffRow): Promise<void> {
  const other = await overlapping(tx, row)
  if (!other) return
  const { start_date, end_date, status } = other
  throw timeOffOverlap(`The person has ${status} time off from ${start_date} to ${end_date}.`)
}

const isLimited = ({ annual_allowance_days, allow_negative }: TimeOffPolicyRow) =>
  annual_allowance_days !== null && !allow_negative

/** Only those who may see the balances are told whether days are left (domain rules 1.1). */
export function requireBalances({ sensitive_data }: Caller): void {
  if (sensitive_data.has('health_and_leave')) return
  throw sensitiveDataRequired(
    'Only a credential with the category health_and_leave is told whether enough days are left.',
  )
}

/**
 * Refuses more days than a year has left. For a new request what others asked for counts as taken; for an approval only
 * what was approved does, so that of two requests one can be granted although both together are too many.
 */
export async function requireEntitled(
  tx: Context['tx'],
  row: TimeOffRow,
  policy: TimeOffPolicyRow,
  { start_date }: Absentee,
  stage: 'request' | 'approval',
): Promise<void> {
  if (!isLimited(policy)) return
  const next_year = halvesOf(row.days_next_year)
  const first = yearOf(row.start_date)
  const parts = [
    [first, halvesOf(row.days) - next_year],
    [first + 1, next_year],
  ] as const
  for (const [year, wanted] of parts) {
    const allowance = allowanceIn(policy, start_date, year)
    if (wanted === 0n || allowance === null) continue
    const { used, approved, requested } = await takenBeside(tx, row, year)
    const pending = stage === 'request' ? halvesOf(requested) : 0n
    const left = allowance - halvesOf(used) - halvesOf(approved) - pending
    if (wanted <= left) continue
    throw insufficientEntitlement(`It takes ${daysOf(wanted)} days of ${year}, and ${daysOf(left)} are left.`)
  }
}
