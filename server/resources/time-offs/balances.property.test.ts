import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { sql } from '#db/database.ts'
import { type Body, createContract } from '#test/factories.ts'
import { inOrganization, startTestService, type TestService } from '#test/service.ts'
import { makePolicy } from '#test/time-off.ts'

// Domain rules 8, invariant 32: time off that counts never overlaps, and the numbers of the balances add up, whatever
// was asked for, decided and cancelled, also by callers at once.

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const day_ms = 86_400_000
const dateOf = (day: number) => new Date(Date.UTC(2026, 10, 2) + day * day_ms).toISOString().slice(0, 10)

/** Over the end of 2026, so that requests fall into two years. */
const span = fc.record({
  start: fc.nat(100),
  length: fc.nat(8),
  start_half_day: fc.boolean(),
  end_half_day: fc.boolean(),
})
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('ask' as const), span, who: fc.nat(1), policy: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('move' as const), span, which: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('approve', 'reject', 'cancel'), which: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('pass' as const), days: fc.nat(20) }) },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const fieldsOf = ({ start, length, start_half_day, end_half_day }: Body) => ({
  start_date: dateOf(start),
  end_date: dateOf(start + length),
  start_half_day,
  end_half_day: end_half_day && (length > 0 || !start_half_day),
})

/** The halves of days that a row covers, each by its date and its half. */
function halves({ start_date, end_date, start_half_day, end_half_day }: Body): string[] {
  const all: string[] = []
  for (let at = Date.parse(start_date); at <= Date.parse(end_date); at += day_ms) {
    const date = new Date(at).toISOString().slice(0, 10)
    if (!(date === start_date && start_half_day)) all.push(`${date} morning`)
    if (!(date === end_date && end_half_day)) all.push(`${date} afternoon`)
  }
  return all
}

const isWorkingDay = (half: string) => ![0, 6].includes(new Date(half.slice(0, 10)).getUTCDay())
const halvesOfNumber = (days: string) => Number(days) * 2

async function assertBalances(t: TestService, people: string[], policies: Body[]) {
  const { body } = await t.call('GET', '/time-offs', { query: { limit: 100 } })
  const rows: Body[] = body.data
  assert.equal(rows.length, body.total_count)
  const taken = (row: Body) =>
    halves(row).filter((half) => {
      const { counting } = policies.find(({ id }) => id === row.policy.id) ?? {}
      return counting === 'calendar_days' || isWorkingDay(half)
    })
  for (const row of rows) assert.equal(halvesOfNumber(row.days), taken(row).length, JSON.stringify(row))
  for (const person_id of people) {
    const standing = rows.filter((row) => row.person_id === person_id && !/rejected|cancelled/.test(row.status))
    const covered = standing.flatMap(halves)
    assert.equal(new Set(covered).size, covered.length, 'two cover the same half of a day')
    for (const year of [2026, 2027]) {
      const path = `/people/${person_id}/time-off-entitlements`
      const answer = await t.call('GET', path, { query: { year } })
      for (const balance of answer.body.data as Body[]) {
        const policy = policies.find(({ id }) => id === balance.policy.id)
        const sum = (status: string) =>
          standing
            .filter((row) => row.policy.id === policy.id && row.status === status)
            .flatMap(taken)
            .filter((half) => half.startsWith(String(year))).length
        const numbers = ['used', 'approved', 'requested'].map((name) => halvesOfNumber(balance[name]))
        assert.deepEqual(numbers, ['used', 'approved', 'requested'].map(sum))
        if (policy.annual_allowance_days === null) {
          assert.deepEqual([balance.allowance, balance.available], [null, null])
          continue
        }
        const all = numbers.reduce((left, right) => left + right, 0)
        assert.equal(balance.allowance, policy.annual_allowance_days)
        assert.equal(halvesOfNumber(balance.available), halvesOfNumber(balance.allowance) - all)
        assert.ok(policy.allow_negative || halvesOfNumber(balance.available) >= 0, 'more is taken than the year has')
      }
    }
  }
  await assertTimers(t, rows)
}

async function assertTimers({ database, organization: { id } }: TestService, rows: Body[]) {
  const open = await database.database.transaction({ role: 'app', organization_id: id, read_only: true }, (tx) =>
    tx.rows<{ subject_id: string }>(sql`
      select subject_id from timers where organization_id = ${id} and kind = 'time_off_end'
        and fired_at is null and cancelled_at is null order by subject_id`),
  )
  const approved = rows.filter(({ status }) => status === 'approved').map((row) => row.id)
  assert.deepEqual(
    open.map(({ subject_id }) => subject_id),
    approved.sort(),
  )
}

async function play(t: TestService, step: Step, people: string[], policies: Body[], ids: string[]) {
  if (step.does === 'pass') return
  if (step.does === 'ask') {
    const body = { person_id: people[step.who], policy_id: policies[step.policy].id, ...fieldsOf(step.span) }
    const answer = await t.call('POST', '/time-offs', { body })
    if (answer.status === 201) ids.push(answer.body.id)
    return answer
  }
  const id = ids[step.which % Math.max(ids.length, 1)]
  if (id === undefined) return
  if (step.does === 'move') return t.call('PATCH', `/time-offs/${id}`, { body: fieldsOf(step.span) })
  if (step.does === 'cancel') return t.call('POST', `/time-offs/${id}/cancel`, { body: {} })
  return t.call('POST', `/time-offs/${id}/review`, {
    body: { status: step.does === 'approve' ? 'approved' : 'rejected' },
  })
}

/** A history that meets every outcome, whatever chance makes of the others. */
const days = (start: number) => ({ start, length: 4, start_half_day: false, end_half_day: false })
const ask = (start: number): Step => ({ does: 'ask', span: days(start), who: 0, policy: 0 })
const approve: Step = { does: 'approve', which: 0 }
const telling = [ask(10), ask(12), ask(30), ask(50), approve, approve].map((each) => [each])

test('balances add up and nothing overlaps after any history, also of callers at once', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 6, maxLength: 10 }),
      async (rounds) => {
        await service.clock.set('2026-10-30T09:00:00.000Z')
        const t = inOrganization(service, await service.createOrganization())
        const people = [(await createContract(t)).worker_id, (await createContract(t)).worker_id]
        const policies = [
          await makePolicy(t, { annual_allowance_days: '6.5' }),
          await makePolicy(t, { annual_allowance_days: '5', counting: 'calendar_days', allow_negative: true }),
          await makePolicy(t, { annual_allowance_days: null, requires_approval: false }),
        ]
        const ids: string[] = []
        for (const round of rounds) {
          const answers = await Promise.all(round.map((each) => play(t, each, people, policies, ids)))
          for (const answer of answers) {
            if (!answer) continue
            assert.ok(answer.status < 500, JSON.stringify(answer.body))
            seen.add(answer.status < 300 ? 'done' : answer.body.code)
          }
          for (const each of round) if (each.does === 'pass') await t.clock.advance(each.days * day_ms)
          await t.timers.runDue()
        }
        await assertBalances(t, people, policies)
      },
    ),
    { numRuns: 12, examples: [[telling]] },
  )
  for (const outcome of ['done', 'time_off_overlap', 'insufficient_entitlement', 'invalid_state']) {
    assert.ok(seen.has(outcome), `no history met ${outcome}`)
  }
})
