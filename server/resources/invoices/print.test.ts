import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '#core/problems.ts'
import { serviceOfCases } from '#test/cases.ts'
import { clock_start } from '#test/contract-states.ts'
import { done, invoiceIn } from '#test/invoices.ts'
import { inOrganization } from '#test/service.ts'
import { print } from './print.ts'

async function issued() {
  const service = await serviceOfCases()
  await service.clock.set(clock_start)
  const t = inOrganization(service, await service.createOrganization())
  const { invoice_id } = await invoiceIn(t, 'pending')
  return done(t, 'GET', `/invoices/${invoice_id}`)
}

const outcomeOf = ({ status, ...settled }: PromiseSettledResult<Uint8Array>) => {
  if ('value' in settled) return Buffer.from(settled.value).toString('latin1', 0, 5)
  const { definition, details } = settled.reason instanceof Problem ? settled.reason : assert.fail(status)
  return [definition.code, details.headers?.['Retry-After']]
}

test('who asks for many invoices at once is told to come again, and another organization gets its own', async () => {
  const invoice = await issued()
  const attacker = crypto.randomUUID()
  const asked = [...Array.from({ length: 30 }, () => attacker), crypto.randomUUID()]
  const outcomes = (await Promise.allSettled(asked.map((id) => print(invoice, id)))).map(outcomeOf)
  const refused = Array.from({ length: 26 }, () => ['rate_limited', '5'])
  assert.deepEqual(outcomes, ['%PDF-', '%PDF-', '%PDF-', '%PDF-', ...refused, '%PDF-'])
  assert.match(Buffer.from(await print(invoice, attacker)).toString('latin1'), /^%PDF-/, 'there is room again')
})

test('many organizations wait in a short queue, and whoever finds it full is told to come again', async () => {
  const invoice = await issued()
  const asked = Array.from({ length: 23 }, () => print(invoice, crypto.randomUUID()))
  const outcomes = (await Promise.allSettled(asked)).map(outcomeOf)
  const made = Array.from({ length: 21 }, () => '%PDF-')
  assert.deepEqual(outcomes, [...made, ['unavailable', '5'], ['unavailable', '5']])
})

test('the thread that answers callers only hands the invoice on', async () => {
  const { number, ...invoice } = await issued()
  let reads = 0
  const watched = {
    ...invoice,
    get number() {
      reads += 1
      return number
    },
  }
  await print(watched, crypto.randomUUID())
  assert.equal(reads, 1)
})

test('an invoice that cannot be printed takes no other with it', async () => {
  const invoice = await issued()
  const broken = print({ ...invoice, lines: null }, crypto.randomUUID())
  const next = print(invoice, crypto.randomUUID())
  await assert.rejects(broken, TypeError)
  assert.equal(outcomeOf({ status: 'fulfilled', value: await next }), '%PDF-')
})
