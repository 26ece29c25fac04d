import { type Context, defineOperation } from '#core/operation.ts'
import { referenceNotFound, sensitiveDataRequired } from '#core/problems.ts'
import { CalendarDate, Closed, PageInput, PageOf, Ref, Sensitive, type Static, Type } from '#core/schema/schema.ts'
import { businessDate } from '#core/values.ts'
import { person, workerOf } from '#resources/people/index.ts'
import { allowanceIn, daysOf, firstDayOf, halvesOf, lastDayOf, yearOf } from './days.ts'
import { lockTimeOff } from './request-time-off.ts'
import { absenteeOf, entitlementsOf, type Taken } from './time-off.store.ts'
import { Days, timeOff } from './time-off.ts'

const Filter = Closed({ ...PageInput, ...timeOff.filters })
const { person_id: _, ...own_filters } = timeOff.filters

export const listTimeOffs = defineOperation({
  id: 'time_offs.list',
  summary: 'List time off',
  description: '`date_from` and `date_to` find what lies at least partly between them.',
  method: 'GET',
  path: '/time-offs',
  scopes: ['time-off:read'],
  input: Filter,
  output: PageOf(timeOff.answer),
  problems: [sensitiveDataRequired, referenceNotFound],
  tool: {
    name: 'list_time_offs',
    text: 'List absences by person, status or period.',
    yields: { time_off_id: 'id' },
  },

  handle: pageOf,
})

export const workerListTimeOffs = defineOperation({
  id: 'worker.list_time_offs',
  summary: 'List own time off',
  method: 'GET',
  path: '/worker/time-offs',
  scopes: ['worker:read'],
  input: Closed({ ...PageInput, ...own_filters }),
  output: PageOf(timeOff.answer),
  problems: [sensitiveDataRequired, referenceNotFound],

  handle: (filter, context) => pageOf({ ...filter, person_id: workerOf(context.caller) }, context),
})

/** The policy and the kind of leave are withheld, so a filter by them asks for their category. */
function pageOf(filter: Static<typeof Filter>, context: Context) {
  for (const name of ['policy_id', 'leave_types'] as const) {
    if (filter[name] === undefined || context.caller.sensitive_data.has('health_and_leave')) continue
    const message = 'needs a credential with the category health_and_leave'
    throw sensitiveDataRequired(`A filter by ${name} needs the category health_and_leave.`, {
      errors: [{ pointer: `/${name}`, message }],
    })
  }
  return timeOff.page(context, filter)
}

export const getTimeOff = defineOperation({
  id: 'time_offs.get',
  summary: 'Get time off',
  method: 'GET',
  path: '/time-offs/:time_off_id',
  scopes: ['time-off:read'],
  input: Closed(timeOff.path),
  output: timeOff.answer,

  // The person first, as changes do: they would wait for each other in a circle otherwise.
  lock: ({ time_off_id }, { caller, tx }) => lockTimeOff(tx, caller, time_off_id),

  async handle({ time_off_id: id }, { caller, tx }) {
    return timeOff.show(await timeOff.get(tx, { organization_id: caller.organization_id, id }))
  },
})

const Quantity = Sensitive('health_and_leave', Days)

/** The days that a person may take under a policy in a year, and those taken. */
const Entitlement = Type.Object(
  {
    person_id: timeOff.answer.properties.person_id,
    policy: Sensitive('health_and_leave', Ref),
    period_start: CalendarDate,
    period_end: CalendarDate,
    allowance: Quantity,
    used: Quantity,
    approved: Quantity,
    requested: Quantity,
    available: Quantity,
  },
  { title: 'Entitlement' },
)

interface EntitlementRow extends Taken {
  id: string
  name: string
  annual_allowance_days: string | null
}

const balances = {
  description:
    'One for each policy, for a calendar year. `allowance` and `available` are null where there is no limit.',
  method: 'GET',
  output: PageOf(Entitlement),
} as const
const OfYear = {
  ...PageInput,
  year: Type.Optional(Type.Integer({ minimum: 2000, maximum: 2100, description: 'Default: the current one.' })),
}

export const listEntitlements = defineOperation({
  ...balances,
  id: 'time_offs.list_entitlements',
  summary: 'List the balances of a person',
  path: '/people/:person_id/time-off-entitlements',
  scopes: ['time-off:read'],
  input: Closed({ ...OfYear, ...person.path }),
  tool: {
    name: 'list_time_off_entitlements',
    text: 'Show a person’s leave balances.',
    yields: { policy_id: 'policy.id' },
  },

  handle: ({ person_id, year }, context) => entitlementsIn(person_id, year, context),
})

export const workerListEntitlements = defineOperation({
  ...balances,
  id: 'worker.list_time_off_entitlements',
  subject: 'time_offs',
  summary: 'List own balances of time off',
  path: '/worker/time-off-entitlements',
  scopes: ['worker:read'],
  input: Closed(OfYear),

  handle: ({ year }, context) => entitlementsIn(workerOf(context.caller), year, context),
})

async function entitlementsIn(
  person_id: string,
  wanted: number | undefined,
  { caller: { organization_id }, tx, now, page }: Context,
) {
  await person.get(tx, { organization_id, id: person_id })
  const absentee = await absenteeOf(tx, organization_id, person_id, false)
  const { start_date = null, timezone = 'UTC' } = absentee ?? {}
  const year = wanted ?? yearOf(businessDate(now, timezone))
  return page(entitlementsOf(organization_id, person_id, year), (row: EntitlementRow) => ({
    person_id,
    policy: { id: row.id, name: row.name },
    period_start: firstDayOf(year),
    period_end: lastDayOf(year),
    ...balanceOf(row, start_date, year),
  }))
}

function balanceOf(row: EntitlementRow, start_date: string | null, year: number) {
  const allowance = allowanceIn(row, start_date, year)
  const [used, approved, requested] = [halvesOf(row.used), halvesOf(row.approved), halvesOf(row.requested)]
  return {
    allowance: allowance === null ? null : daysOf(allowance),
    used: daysOf(used),
    approved: daysOf(approved),
    requested: daysOf(requested),
    available: allowance === null ? null : daysOf(allowance - used - approved - requested),
  }
}
