import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type Body, contractBody, memberToken, workerLogin } from '#test/factories.ts'
import { holdInvariants } from '#test/invariants.ts'
import { inOrganization, startTestService, type TestService } from '#test/service.ts'
import {
  assertForeign,
  assertIssued,
  assertMoney,
  assertSwept,
  assertTold,
  assertUpdated,
  sendTwice,
  walkAll,
} from './history-checks.ts'

/**
 * Histories that nobody thought of: any operation of the money's way on any row, refused or not, one after the other and
 * at once, while days pass and two workers fire what is due. The invariants of the domain hold after each step.
 */

const start = '2026-01-12T09:00:00.000Z'
const day_ms = 86_400_000

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

interface Step {
  action: keyof typeof actions
  /** Chooses among the rows that there are. */
  pick: number
  /** Chooses among the ways to do it. */
  way: number
  /** The units of an amount, the days to wait, or the hours worked. */
  size: number
}

interface World {
  t: TestService
  approver: string
  workers: Map<string, string>
  /** Calls so far, and those among them that made a change which the audit log has. */
  calls: number
  made: number
}

const today = ({ t }: World) => new Date(t.clock.now()).toISOString().slice(0, 10)
const inDays = (world: World, days: number) => new Date(world.t.clock.now() + days * day_ms).toISOString().slice(0, 10)

/** Sends a call that may be refused, but never fails; every third one twice at once, under one key. */
async function send(world: World, method: string, path: string, body?: object, token?: string): Promise<Body> {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const call = () => world.t.call(method, path, { headers, ...(body && { body }), ...(token && { token }) })
  world.calls += 1
  const answer = method === 'POST' && world.calls % 3 === 0 ? await sendTwice(call) : await call()
  assert.ok(answer.status < 500, `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`)
  // A change of settings that are so already is none.
  if (answer.status < 300 && method !== 'PATCH') world.made += 1
  assertMoney(answer.body)
  return answer.status < 300 ? answer.body : undefined
}

async function rows({ t }: World, list: string, query: object = {}): Promise<Body[]> {
  const { status, body } = await t.call('GET', list, { query: { limit: 100, ...query } })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

async function one(world: World, { pick }: Step, list: string, query: object = {}): Promise<Body> {
  const found = await rows(world, list, query)
  return found[pick % Math.max(1, found.length)]
}

async function workerOf({ t, workers }: World, worker_id: string): Promise<string> {
  const known = workers.get(worker_id) ?? (await workerLogin(t, worker_id))
  workers.set(worker_id, known)
  return known
}

const amount = (size: number) => `${size}.${String(size % 100).padStart(2, '0')}`
const chosen = <Value>(way: number, values: readonly [Value, ...Value[]]): Value =>
  values[way % values.length] ?? values[0]

const kinds: readonly [object, ...object[]] = [
  { type: 'fixed_rate', compensation: { amount: '4200.00', currency: 'EUR', frequency: 'monthly' } },
  { type: 'pay_as_you_go', compensation: { amount: '45.00', currency: 'EUR', scale: 'hourly', frequency: 'weekly' } },
  { type: 'milestone', compensation: { currency: 'USD', frequency: 'monthly' } },
  {
    type: 'fixed_rate',
    compensation: { amount: '300000', currency: 'JPY', frequency: 'semimonthly' },
    tax: { vat_rate: '10' },
  },
  {
    type: 'fixed_rate',
    compensation: { amount: '950.500', currency: 'KWD', frequency: 'biweekly' },
    tax: { vat_rate: '5' },
  },
  { type: 'employee', compensation: { amount: '6500.00', currency: 'EUR' } },
]

const adjustment_types = ['bonus', 'commission', 'deduction', 'expense', 'milestone', 'overtime', 'other'] as const

const actions = {
  async draft(world: World, { way, size }: Step) {
    const begin = inDays(world, (size % 20) - 10)
    const ends = size % 3 === 0 ? { end_date: inDays(world, 20 + (size % 50)) } : {}
    await send(
      world,
      'POST',
      '/contracts',
      contractBody(world.t, { ...chosen(way, kinds), start_date: begin, ...ends }),
    )
  },
  async sign(world: World, step: Step) {
    const contract = await one(world, step, '/contracts', { statuses: 'pending' })
    if (!contract) return
    const body = { signer_name: 'Someone Named', terms_version: contract.terms_version }
    await send(world, 'POST', `/contracts/${contract.id}/sign`, body)
    const own = `/worker/contracts/${contract.id}/sign`
    if (step.way % 4 === 0) {
      // Invariant 28: the client signs for nobody, whatever token it makes.
      const minted = await send(world, 'POST', `/people/${contract.worker_id}/worker-tokens`)
      if (minted) assert.equal(await send(world, 'POST', own, body, minted.token), undefined)
    }
    await send(world, 'POST', own, body, await workerOf(world, contract.worker_id))
  },
  async end(world: World, step: Step) {
    const contract = await one(world, step, '/contracts')
    if (!contract) return
    const types = ['termination', 'resignation', 'end_of_contract'] as const
    const later = step.size % 2 === 0 ? { completion_date: inDays(world, step.size % 40) } : {}
    if (step.way % 4 === 0) await send(world, 'POST', `/contracts/${contract.id}/cancel-termination`)
    else if (contract.status === 'pending') await send(world, 'POST', `/contracts/${contract.id}/cancel`)
    else await send(world, 'POST', `/contracts/${contract.id}/terminate`, { type: chosen(step.way, types), ...later })
  },
  async amend(world: World, step: Step) {
    const contract = await one(world, step, '/contracts', { statuses: 'active' })
    if (!contract) return
    const raise = { amount: amount(step.size * 40) }
    const others = [raise, { proration: 'working_days' }, raise]
    const terms = chosen<object>(step.way, [{ payment_due_days: step.size % 30 }, ...others])
    const effective = step.way % 2 === 0 ? {} : { effective_date: inDays(world, step.size % 30) }
    const made = await send(world, 'POST', `/contracts/${contract.id}/amendments`, { terms, ...effective })
    if (!made) return
    const path = `contracts/${contract.id}/amendments/${made.id}/sign`
    await send(world, 'POST', `/${path}`, { signer_name: 'Someone Named' })
    const body = { signer_name: 'Someone Named', terms_version: made.terms_version }
    await send(world, 'POST', `/worker/${path}`, body, await workerOf(world, contract.worker_id))
  },
  async report(world: World, step: Step) {
    const contract = await one(world, step, '/contracts', { types: 'pay_as_you_go' })
    if (!contract) return
    const end_date = inDays(world, -(step.size % 10))
    const body = {
      contract_id: contract.id,
      start_date: end_date,
      end_date,
      quantity: `${1 + (step.size % 8)}.25`,
      description: 'work',
    }
    if (step.way % 2 === 0) await send(world, 'POST', '/timesheets', body)
    else await send(world, 'POST', '/worker/timesheets', body, await workerOf(world, contract.worker_id))
  },
  async adjust(world: World, step: Step) {
    const contract = await one(world, step, '/contracts')
    if (!contract) return
    const { currency } = contract.compensation
    const value = currency === 'JPY' ? `${step.size * 10}` : amount(step.size)
    const recurring = step.size % 4 === 0 ? { is_recurring: true } : {}
    const date = { date: inDays(world, (step.size % 15) - 10) }
    const type = chosen(step.way, adjustment_types)
    const body = { contract_id: contract.id, type, amount: value, description: 'more', ...date, ...recurring }
    await send(world, 'POST', '/invoice-adjustments', { ...body, auto_approve: step.size % 5 !== 0 })
  },
  async review(world: World, step: Step) {
    const list = step.way % 2 === 0 ? '/timesheets' : '/invoice-adjustments'
    const row = await one(world, step, list)
    if (!row) return
    if (step.size % 7 === 0) await send(world, 'DELETE', `${list}/${row.id}`)
    else
      await send(world, 'POST', `${list}/${row.id}/review`, { status: step.size % 5 === 0 ? 'declined' : 'approved' })
  },
  async invoice(world: World, step: Step) {
    const contract = await one(world, step, '/contracts')
    if (!contract) return
    if (step.way % 2 === 0) {
      const cycle = await one(world, step, `/contracts/${contract.id}/payment-cycles`, { statuses: 'skipped' })
      if (cycle) await send(world, 'POST', `/contracts/${contract.id}/payment-cycles/${cycle.id}/invoice`)
      return
    }
    const query = { contract_id: contract.id, statuses: 'approved' }
    const [timesheets, adjustments] = await Promise.all([
      rows(world, '/timesheets', query),
      rows(world, '/invoice-adjustments', query),
    ])
    await send(world, 'POST', '/invoices', {
      contract_id: contract.id,
      timesheet_ids: timesheets.slice(0, step.size % 3).map(({ id }) => id),
      invoice_adjustment_ids: adjustments.slice(0, step.way % 4).map(({ id }) => id),
    })
  },
  async takeBack(world: World, step: Step) {
    const invoice = await one(world, step, '/invoices', { statuses: 'pending' })
    if (invoice) await send(world, 'POST', `/invoices/${invoice.id}/cancel`, { reason: 'wrong' })
  },
  async pay(world: World, step: Step) {
    const pending = await rows(world, '/invoices', { statuses: step.size % 6 === 0 ? 'pending,processing' : 'pending' })
    const [first] = pending.slice(step.pick % Math.max(1, pending.length))
    if (!first) return
    const same = pending.filter(({ currency }) => currency === first.currency || step.size % 9 === 0)
    await send(world, 'POST', '/payments', { invoice_ids: same.slice(0, 1 + (step.way % 4)).map(({ id }) => id) })
  },
  async organize(world: World, step: Step) {
    const [moved, above] = [
      await one(world, step, '/departments'),
      await one(world, { ...step, pick: step.way }, '/departments'),
    ]
    const parent_id = above?.id ?? null
    if (!moved || step.size % 3 === 0)
      await send(world, 'POST', '/departments', { name: `No. ${step.size}`, parent_id })
    else await send(world, 'PATCH', `/departments/${moved.id}`, { parent_id })
  },
  async approval(world: World, { way }: Step) {
    const settings = { payment_approval: way % 2 === 0 ? 'none' : 'second_person' }
    await send(world, 'PATCH', `/organizations/${world.t.organization.id}`, { settings }, world.approver)
  },
  async decide(world: World, step: Step) {
    const payment = await one(world, step, '/payments')
    if (!payment) return
    const path = `/payments/${payment.id}`
    const ways = [
      () => send(world, 'POST', `${path}/approve`, {}, world.approver),
      () => send(world, 'POST', `${path}/settle`, step.size % 2 === 0 ? {} : { fee: '4' }),
      () => send(world, 'POST', `${path}/fail`, { reason: 'returned' }),
      () => send(world, 'POST', `${path}/cancel`, {}),
    ] as const
    await chosen(step.way, ways)()
  },
  async wait(world: World, { size }: Step) {
    await world.t.clock.advance((1 + (size % 18)) * day_ms)
    await Promise.all([world.t.timers.runDue(), world.t.timers.runDue()])
    await assertSwept(world.t)
  },
}

const names = Object.keys(actions) as (keyof typeof actions)[]
const step = fc.record({
  // Days pass and money moves more often than anything else.
  action: fc.constantFrom(
    ...names,
    'wait',
    'wait',
    'sign',
    'sign',
    'pay',
    'decide',
    'report',
    'adjust',
  ) as fc.Arbitrary<keyof typeof actions>,
  pick: fc.nat({ max: 50 }),
  way: fc.nat({ max: 11 }),
  size: fc.integer({ min: 1, max: 200 }),
})

async function begin(): Promise<World> {
  const t = inOrganization(service, await service.createOrganization())
  await t.clock.set(start)
  const world = { t, approver: await memberToken(t, 'owner'), workers: new Map<string, string>(), calls: 0, made: 0 }
  for (const way of [0, 1, 2, 3, 4]) await actions.draft(world, { action: 'draft', pick: 0, way, size: 10 })
  for (const pick of [0, 0, 0, 0, 0]) await actions.sign(world, { action: 'sign', pick, way: 0, size: 1 })
  assert.ok(today(world) === start.slice(0, 10))
  return world
}

/** Waits alone, since time passes for all; `at_once` of the other steps run together. */
async function live(world: World, steps: readonly Step[], at_once: number): Promise<void> {
  for (let done = 0; done < steps.length; ) {
    const [next] = steps.slice(done)
    const taken = next?.action === 'wait' ? 1 : at_once
    const together = steps.slice(done, done + taken).filter(({ action }, place) => place === 0 || action !== 'wait')
    await Promise.all(together.map((each) => actions[each.action](world, each)))
    await holdInvariants(world.t, world.t.organization.id)
    done += taken
  }
}

/** A history in two halves, after which the whole of it is looked at from outside. */
async function hold(steps: readonly Step[], at_once: number, stranger: string): Promise<void> {
  const world = await begin()
  const [half, limit] = [Math.trunc(steps.length / 2), 1 + ((steps[0]?.size ?? 0) % 9)]
  await live(world, steps.slice(0, half), at_once)
  const before = await walkAll(world.t, limit)
  await live(world, steps.slice(half), at_once)
  const after = await walkAll(world.t, limit + 3)
  await assertUpdated(world.t, before, after)
  assertIssued(before, after)
  await assertTold(world.t, world.made)
  await assertForeign(world.t, stranger, after)
}

/** `HISTORIES` many, or the one that a failure has named: `HISTORY=seed:path`. */
const [seed, path] = process.env.HISTORY?.split(/:(.*)/) ?? []
const repeated = seed === undefined ? {} : { seed: Number(seed), path: path ?? '0' }
const runs = Number(process.env.HISTORIES ?? 4)

for (const at_once of [1, 4]) {
  test(`the invariants of the domain hold after any history, ${at_once} at once`, async () => {
    const { token } = await service.createOrganization()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60, size: 'max' }), (steps) =>
        hold(steps, at_once, token),
      ),
      { numRuns: runs, endOnFailure: true, ...repeated },
    )
  })
}
