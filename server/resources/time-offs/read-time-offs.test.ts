import { type Case, cases } from '#test/cases.ts'
import { type Body, createPerson } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'
import { done, makePolicy, personAndPolicy, requestTimeOff, timeOffIn } from '#test/time-off.ts'

/** Two people: one with a week of vacation and a sick day, the other with the weekend between. */
async function absences(t: TestService): Promise<Body> {
  const vacation = await timeOffIn(t, 'approved')
  const { person_id } = vacation
  const sick = await makePolicy(t, { leave_type: 'sick', annual_allowance_days: null })
  const days = { start_date: '2026-08-10', end_date: '2026-08-10' }
  const ill = await requestTimeOff(t, { person_id, policy_id: sick.id, ...days, external_id: 'T2' })
  const calendar = await personAndPolicy(t, { counting: 'calendar_days', leave_type: 'other' })
  await requestTimeOff(t, { ...calendar, start_date: '2026-08-07', end_date: '2026-08-09' })
  return { ...vacation, ill, sick_id: sick.id, worker: vacation.worker }
}

const blind = 'client without sensitive data'
const counts = (total_count: number, input: Case['input'] = {}): Case => ({ input, body: { total_count } })
const unknown = '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3'

cases(
  'time_offs.list',
  {
    'all are shown': counts(3),
    'of one person': counts(2, ({ person_id }) => ({ person_id })),
    'of some statuses': counts(2, { statuses: ['requested', 'used'] }),
    'of a policy': counts(1, ({ sick_id }) => ({ policy_id: sick_id })),
    'of a kind of leave': counts(2, { leave_types: ['vacation', 'sick'] }),
    'by the own id': counts(1, { external_id: 'T2' }),
    'from a day on, begun before': counts(2, { date_from: '2026-08-08' }),
    'until a day, ending after': counts(2, { date_to: '2026-08-07' }),
    'between two days': counts(1, { date_from: '2026-08-08', date_to: '2026-08-09' }),
    'an unknown person is refused': {
      input: { person_id: unknown },
      answers: '422 reference_not_found',
      errors: ['/person_id'],
    },
    'who may not see leave sees no reason for it': {
      as: blind,
      body: { data: [{ policy: null, leave_type: null, is_paid: null }, {}, {}], total_count: 3 },
    },
    'who may not see leave finds none by its kind': {
      as: blind,
      input: { leave_types: ['sick'] },
      answers: '403 sensitive_data_required',
      errors: ['/leave_types'],
    },
    'who may not see leave finds none by its policy': {
      as: blind,
      input: { policy_id: unknown },
      answers: '403 sensitive_data_required',
      errors: ['/policy_id'],
    },
  },
  { given: absences },
)

cases(
  'worker.list_time_offs',
  {
    'the worker sees its own': counts(2),
    'of a kind of leave': { ...counts(1, { leave_types: ['sick'] }) },
    'an unknown policy is refused': { input: { policy_id: unknown }, answers: '422 reference_not_found' },
    'a minted token finds by no kind that its maker cannot see': {
      as: ({ minted }) => minted,
      given: async (t) => {
        const { person_id } = await timeOffIn(t, 'requested')
        const token = await t.createToken(t.organization.id, { sensitive_data: [], is_sandbox: false })
        return { minted: (await done(t, `/people/${person_id}/worker-tokens`, {}, token)).token }
      },
      input: { leave_types: ['sick'] },
      answers: '403 sensitive_data_required',
    },
  },
  { given: absences },
)

cases('time_offs.get', {
  'one is read': { as: 'admin', given: (t) => timeOffIn(t, 'approved'), body: ({ id, review }) => ({ id, review }) },
})

/** A person since February with some of each: 5 used, 1.5 approved, 2 requested, 1 cancelled, and days of two years. */
async function balances(t: TestService): Promise<Body> {
  const of = await personAndPolicy(t)
  const { person_id } = of
  await t.call('PATCH', `/people/${person_id}`, { body: { start_date: '2026-02-01' } })
  const ask = (start_date: string, end_date: string, more: object = {}) =>
    requestTimeOff(t, { ...of, start_date, end_date, ...more })
  await timeOffIn(t, 'used', of)
  await ask('2026-09-01', '2026-09-02', { end_half_day: true, auto_approve: true })
  await ask('2026-09-07', '2026-09-08')
  const { id } = await ask('2026-09-09', '2026-09-09')
  await done(t, `/time-offs/${id}/cancel`)
  await ask('2026-12-31', '2027-01-04', { auto_approve: true })
  const unlimited = await makePolicy(t, { leave_type: 'sick', annual_allowance_days: null })
  const gone = await makePolicy(t, { name: 'Gone' })
  await t.call('DELETE', `/time-off-policies/${gone.id}`)
  return { ...of, unlimited_id: unlimited.id }
}

const none = { used: '0', approved: '0', requested: '0' }

cases(
  'time_offs.list_entitlements',
  {
    'balances add up, a part of the allowance for who came in the year': {
      body: ({ person_id, policy_id, unlimited_id }) => ({
        data: [
          {
            ...{ person_id, policy: { id: policy_id }, period_start: '2026-01-01', period_end: '2026-12-31' },
            ...{ allowance: '27.5', used: '5', approved: '2.5', requested: '2', available: '18' },
          },
          { policy: { id: unlimited_id }, allowance: null, ...none, available: null },
        ],
        total_count: 2,
      }),
    },
    'a day counts in the year of its own date': {
      input: { year: 2027 },
      body: {
        data: [{ allowance: '30', ...none, approved: '2', available: '28', period_start: '2027-01-01' }, {}],
      },
    },
    'before the person came there is nothing to take': {
      input: { year: 2025 },
      body: { data: [{ allowance: '0', ...none, available: '0' }, {}] },
    },
    'who may not see leave sees no number': {
      as: blind,
      body: {
        data: [{ policy: null, allowance: null, used: null, approved: null, requested: null, available: null }, {}],
        total_count: 2,
      },
    },
    'the current year is that of the place of the person': {
      given: async (t) => {
        const of = await balances(t)
        await t.clock.set('2026-12-31T23:30:00.000Z')
        return of
      },
      body: { data: [{ period_start: '2027-01-01' }, {}] },
    },
    'a year that is none is refused': { input: { year: 1999 }, answers: '400 validation_failed', errors: ['/year'] },
  },
  { given: balances },
)

cases('worker.list_time_off_entitlements', {
  'a worker reads its own balances, with the policies that it may ask under': {
    given: async (t) => {
      const of = await balances(t)
      return { ...of, worker_id: of.person_id }
    },
    body: ({ person_id, policy_id, unlimited_id }) => ({
      data: [
        { person_id, policy: { id: policy_id }, allowance: '27.5', available: '18' },
        { policy: { id: unlimited_id }, allowance: null, available: null },
      ],
      total_count: 2,
    }),
  },
  'those of another person are not among them': {
    given: async (t) => {
      await balances(t)
      return createPerson(t)
    },
    body: ({ person_id }) => ({ data: [{ person_id, ...none }, {}], total_count: 2 }),
  },
})
