import type { Caller } from '#core/caller.ts'
import { defineTimer, setTimer } from '#core/jobs/timer.ts'
import { defineOperation } from '#core/operation.ts'
import { dateOutOfRange, type FieldError, sandboxOnly, validationFailed } from '#core/problems.ts'
import { clock_target, readClock, startClock, stopClock } from '#core/sandbox-clock.ts'
import { Closed, Id, Nullable, Timestamp, Type } from '#core/schema/schema.ts'
import { laterBy } from '#core/values.ts'
import { organization } from '#resources/organizations/index.ts'
import { readOutlook } from './sandbox.store.ts'

export const clockAdvanced = organization.event(
  'organization.clock.advanced',
  'The test clock of a sandbox moved.',
  { organization_id: Id, name: Type.String(), previous_now: Timestamp, now: Timestamp },
  {
    organization_id: '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3',
    name: 'Harbour Pine',
    previous_now: '2026-01-05T08:00:00.000Z',
    now: '2026-02-01T00:00:00.000Z',
  },
)

/** Refuses a caller of a live organization. */
export function requireSandbox({ is_sandbox }: Caller): void {
  if (!is_sandbox) throw sandboxOnly()
}

export const getClock = defineOperation({
  id: 'sandbox.get_clock',
  summary: 'Read the test clock',
  description:
    'Until it is advanced for the first time, the clock of a sandbox runs with real time; from then on it stands.',
  method: 'GET',
  path: '/sandbox/clock',
  scopes: ['organizations:read'],
  input: Closed({}),
  output: Type.Object({
    now: Timestamp,
    pending_timers: Type.Integer({ minimum: 0 }),
    next_timer_at: Nullable(Timestamp),
  }),
  problems: [sandboxOnly],

  async lock(_, { caller, tx }) {
    requireSandbox(caller)
    await readClock(tx, caller.organization_id, 'for update')
  },
  async handle(_, { caller, tx, now, rooms }) {
    requireSandbox(caller)
    const kinds = rooms.sandbox.kinds.filter((kind) => kind !== clock_target.kind)
    return { now, ...(await readOutlook(tx, caller.organization_id, kinds)) }
  },
})

const days_max = 731
const duration_pattern =
  '^P([0-9]{1,9}Y)?([0-9]{1,9}M)?([0-9]{1,9}W)?([0-9]{1,9}D)?(T([0-9]{1,9}H)?([0-9]{1,9}M)?([0-9]{1,9}S)?)?$'
const day_ms = 86_400_000

export const advanceClock = defineOperation({
  id: 'sandbox.advance_clock',
  subject: 'organizations',
  summary: 'Advance the test clock',
  description:
    'Fires every timer on the way, each at its own time, and then stands at the target. Other changes are refused meanwhile. An advance that was cut off goes on by itself; the next one first waits for it.',
  method: 'POST',
  path: '/sandbox/clock/advance',
  scopes: ['organizations:write'],
  roles: ['owner', 'admin'],
  input: Closed({
    to: Type.Optional(Timestamp),
    by: Type.Optional(
      Type.String({
        maxLength: 50,
        pattern: duration_pattern,
        description: 'ISO 8601 duration in place of `to`; days and months as they are in the zone of the organization.',
        example: 'P1M',
      }),
    ),
  }),
  output: Type.Object({ now: Timestamp, fired_timers: Type.Integer({ minimum: 0 }) }),
  problems: [sandboxOnly, dateOutOfRange],
  emits: [clockAdvanced],
  spans_transactions: true,
  tool: {
    name: 'advance_test_clock',
    text: `Sandbox only: move business time on, \`to\` a time or \`by\` a duration, at most ${days_max} days; all that falls due happens.`,
    example: { by: 'P1M' },
  },

  async prepare(_, { sandbox }, { organization_id, is_sandbox }) {
    if (is_sandbox) await sandbox.arrive(organization_id)
  },
  async handle(input, { caller, tx, now, kept_as, audit }) {
    requireSandbox(caller)
    const { organization_id } = caller
    const { timezone } = await organization.get(tx, { organization_id, id: organization_id })
    const target = targetOf(input, now, timezone)
    await startClock(tx, organization_id, { target, kept_as })
    await setTimer(tx, { ...clock_target, organization_id, subject_id: organization_id, due_at: target })
    audit({ id: organization_id })
    return { now: target, fired_timers: 0 }
  },
  finish: ({ sandbox }, { organization_id }) => sandbox.arrive(organization_id),
})

function targetOf({ to, by }: { to?: string; by?: string }, now: string, timezone: string): string {
  const refuse = (refusal: typeof validationFailed, ...errors: FieldError[]) => refusal(undefined, { errors })
  if ((to === undefined) === (by === undefined)) {
    const message = 'is sent, or the other one: exactly one of to and by'
    throw refuse(validationFailed, { pointer: '/to', message }, { pointer: '/by', message })
  }
  const target = to ?? laterBy(now, by ?? '', timezone)
  if (target === null) {
    throw refuse(validationFailed, { pointer: '/by', message: 'must be an ISO 8601 duration, such as P1M or PT36H' })
  }
  const latest = new Date(Date.parse(now) + days_max * day_ms).toISOString()
  if (target > now && target <= latest) return target
  const message = `must lead beyond ${now}, and not beyond ${latest}`
  throw refuse(dateOutOfRange, { pointer: to === undefined ? '/by' : '/to', message })
}

/** The clock arrives: the last timer of its way tells of it. */
export const clockTarget = defineTimer({
  ...clock_target,
  subject: 'organizations',
  emits: [clockAdvanced],
  async fire({ organization_id }, { tx, secrets, emit }) {
    const moved = await stopClock(tx, organization_id, secrets)
    if (!moved) return
    const { name } = await organization.get(tx, { organization_id, id: organization_id })
    emit(clockAdvanced, { organization_id, name, ...moved })
  },
})
