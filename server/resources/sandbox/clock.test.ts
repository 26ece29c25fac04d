import { cases } from '#test/cases.ts'
import { clock_start, contractIn } from '#test/contract-states.ts'

const with_contract = { sandbox: true, given: contractInSandbox }

/** A contract that ends with November, in the zone of Berlin. */
async function contractInSandbox(t: Parameters<typeof contractIn>[0]) {
  return contractIn(t, 'active', { end_date: '2026-11-30' })
}

cases(
  'sandbox.get_clock',
  {
    'the clock of a sandbox runs with real time until it is set': {
      ...with_contract,
      // Its end, and the opening of its first cycle, which is due.
      body: { now: clock_start, pending_timers: 2, next_timer_at: '2026-06-14T22:00:00.000Z' },
    },
    'nothing is pending in an empty sandbox': {
      given: async () => ({}),
      body: { pending_timers: 0, next_timer_at: null },
    },
    'a live organization has no test clock': { sandbox: false, given: async () => ({}), answers: '409 sandbox_only' },
  },
  { sandbox: true },
)

const range = (name: string) => ({ answers: '422 date_out_of_range' as const, errors: [`/${name}`] })

cases(
  'sandbox.advance_clock',
  {
    'the clock moves by a duration in the zone of the organization, over the change to winter time': {
      input: { by: 'P5M' },
      body: { now: '2026-11-15T10:00:00.000Z', fired_timers: 0 },
      audit: { subject_kind: 'organizations', changed_fields: ['by'] },
      emits: () => [
        [
          'organization.clock.advanced',
          { previous_now: clock_start, now: '2026-11-15T10:00:00.000Z', name: 'Harbour Pine' },
        ],
      ],
    },
    'the clock moves to a time': {
      input: { to: '2026-06-15T11:00:00.001+02:00' },
      body: { now: '2026-06-15T09:00:00.001Z', fired_timers: 0 },
      emits: ['organization.clock.advanced'],
    },
    'the longest way': { input: { by: 'P731D' }, emits: ['organization.clock.advanced'] },
    'a day more': { input: { by: 'P732D' }, ...range('by') },
    'a way out of the calendar': { input: { by: 'P999999999Y' }, answers: '400 validation_failed', errors: ['/by'] },
    'to where it stands': { input: { to: clock_start }, ...range('to') },
    back: { input: { to: '2026-06-15T08:59:59.999Z' }, ...range('to') },
    'a duration of nothing': { input: { by: 'PT' }, answers: '400 validation_failed', errors: ['/by'] },
    'to and by': { input: { to: clock_start, by: 'P1D' }, answers: '400 validation_failed', errors: ['/to', '/by'] },
    neither: { input: {}, answers: '400 validation_failed', errors: ['/to', '/by'] },
    'a duration that is none': { input: { by: '1 month' }, answers: '400 validation_failed', errors: ['/by'] },
    'a live organization has no test clock': { sandbox: false, input: { by: 'P1D' }, answers: '409 sandbox_only' },
    'a viewer': { as: 'viewer', input: { by: 'P1D' }, answers: '403 insufficient_scope' },
  },
  { sandbox: true },
)
