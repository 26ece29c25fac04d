import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { storedMoney } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { faultsOfLedger } from '#test/ledger.ts'
import { type PaymentState, paymentIn, paymentStates } from '#test/payments.ts'
import { useTestService } from '#test/service.ts'
import { createPaymentJob } from './ask-providers.ts'
import type { PaymentProvider, ProviderAnswer } from './provider.ts'

/** A provider that gives these answers in turn, and notes what it was asked. */
function scripted(...answers: (ProviderAnswer | Error)[]) {
  const asked: string[] = []
  const answer = (verb: string) => async (payment: { id: string }) => {
    asked.push(`${verb} ${payment.id}`)
    const next = answers.shift() ?? { is: 'accepted' }
    if (next instanceof Error) throw next
    return next
  }
  const provider: PaymentProvider = { initiate: answer('initiate'), poll: answer('poll'), polled_every_s: 60 }
  return { providers: { manual: provider }, asked }
}

async function waiting(test: TestContext, state: PaymentState = 'processing') {
  const t = await useTestService(test)
  await t.clock.set('2026-06-15T09:00:00.000Z')
  const { id } = await paymentIn(t, state)
  await t.takeEvents()
  const read = async () => (await t.call('GET', `/payments/${id}`)).body
  return { t, id, read }
}

const fee = storedMoney('1.50', 'EUR')

test('a payment is handed over once, asked about until it is settled, and completed in the name of the provider', async (context) => {
  const { t, id, read } = await waiting(context)
  const { providers, asked } = scripted(
    { is: 'accepted' },
    { is: 'accepted' },
    { is: 'settled', fee, reference: 'TX-7' },
  )
  const job = createPaymentJob(t.runtime, providers)
  for (let round = 0; round < 4; round += 1) {
    await job.runDue()
    await t.clock.advance(61_000)
  }
  assert.deepEqual(asked, [`initiate ${id}`, `poll ${id}`, `poll ${id}`])
  const { status, fee: taken, reference, value_date } = await read()
  assert.deepEqual([status, taken, reference, value_date], ['completed', '1.50', 'TX-7', '2026-06-15'])
  const events = await t.takeEvents()
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['payment.completed', 'invoice.paid', 'invoice.status.updated', 'invoice-adjustment.status.updated'],
  )
  const lines = await t.database.database.transaction({ role: 'app', organization_id: t.organization.id }, (tx) =>
    tx.rows(sql`
      select action, actor ->> 'kind' as kind from audit_entries
      where organization_id = ${t.organization.id} and subject_id = ${id} order by id desc limit 1`),
  )
  assert.deepEqual(lines, [{ action: 'payments.settle', kind: 'provider' }])
  assert.deepEqual(await faultsOfLedger(t), [])
})

test('a payment that its provider rejects has failed', async (context) => {
  const { t, read } = await waiting(context)
  const { providers } = scripted({ is: 'rejected', reason: 'The account is closed.' })
  await createPaymentJob(t.runtime, providers).runDue()
  const { status, failure_reason } = await read()
  assert.deepEqual([status, failure_reason], ['failed', 'The account is closed.'])
  const events = await t.takeEvents()
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['payment.failed', 'invoice.status.updated'],
  )
  assert.deepEqual(await faultsOfLedger(t), [])
})

test('a provider that does not answer is asked again by the same id, and not before a minute', async (context) => {
  const { t, id, read } = await waiting(context)
  const { providers, asked } = scripted(new Error('away'))
  const job = createPaymentJob(t.runtime, providers)
  assert.equal(await job.runDue(), 1)
  assert.equal(await job.runDue(), 0)
  await t.clock.advance(61_000)
  await job.runDue()
  assert.deepEqual(asked, [`initiate ${id}`, `initiate ${id}`])
  assert.equal((await read()).status, 'processing')
})

const endings = { settle: 'completed', fail: 'failed' } as const
const answers = {
  settled: { is: 'settled', fee, reference: null },
  rejected: { is: 'rejected', reason: 'Closed.' },
} as const

for (const [step, status] of Object.entries(endings)) {
  for (const [is, answer] of Object.entries(answers)) {
    test(`the answer ${is} that comes when the operator has ended the payment as ${status} changes nothing`, async (context) => {
      const { t, id, read } = await waiting(context)
      const { manual } = scripted().providers
      const ended: unknown[] = []
      const initiate = async () => {
        const { status } = await t.call('POST', `/payments/${id}/${step}`, {
          body: step === 'fail' ? { reason: 'Called back.' } : {},
        })
        assert.equal(status, 200)
        ended.push(await read())
        await t.takeEvents()
        return answer
      }
      await createPaymentJob(t.runtime, { manual: { ...manual, initiate } }).runDue()
      assert.deepEqual([await read()], ended)
      assert.deepEqual([ended.length, (await read()).status], [1, status])
      assert.deepEqual([await t.takeEvents(), await faultsOfLedger(t)], [[], []])
    })
  }
}

for (const state of paymentStates.filter((state) => state !== 'processing')) {
  test(`nobody is asked about a payment that is ${state}`, async (context) => {
    const { t } = await waiting(context, state)
    const { providers, asked } = scripted()
    assert.deepEqual([await createPaymentJob(t.runtime, providers).runDue(), asked], [0, []])
  })
}

test('of two processes one asks', async (context) => {
  const { t, id } = await waiting(context)
  const { providers, asked } = scripted()
  const [one, other] = [createPaymentJob(t.runtime, providers), createPaymentJob(t.runtime, providers)]
  await Promise.all([one.runDue(), other.runDue()])
  assert.deepEqual(asked, [`initiate ${id}`])
})

test('the manual provider waits for the operator', async (context) => {
  const { t, read } = await waiting(context)
  const before = await read()
  const job = createPaymentJob(t.runtime)
  await job.runDue()
  await t.clock.advance(86_400_000)
  assert.equal(await job.runDue(), 0)
  assert.deepEqual(await read(), before)
})
