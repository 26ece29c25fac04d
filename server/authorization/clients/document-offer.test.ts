import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createDocumentOffer } from './client-documents.ts'

/** An offer whose timer is in the test's hand, and the look-ups it makes by itself. */
function offerInHand() {
  const timers: { run: () => Promise<void>; after_ms: number }[] = []
  const tried: string[] = []
  const reachable = new Set<string>()
  const offer = createDocumentOffer('auto', {
    log: pino({ level: 'silent' }),
    lookUp: async (client_id) => {
      tried.push(client_id)
      offer.note(client_id, reachable.has(client_id) ? 'some' : 'none')
    },
    later: (run, after_ms) => void timers.push({ run, after_ms }),
  })
  const pass = async () => {
    await timers.shift()?.run()
  }
  return { offer, timers, tried, reachable, pass }
}

test('document.offer: while withdrawn, the document asked for last is tried every ten minutes until it is reached', async () => {
  const { offer, timers, tried, reachable, pass } = offerInHand()
  for (const client_id of ['a', 'b', 'c', 'd']) offer.note(client_id, 'none')
  assert.deepEqual([offer.isOffered(), timers.map(({ after_ms }) => after_ms)], [false, [600_000]])
  await pass()
  assert.deepEqual([tried, offer.isOffered(), timers.length], [['d'], false, 1])
  reachable.add('d')
  await pass()
  assert.deepEqual([tried, offer.isOffered(), timers.length], [['d', 'd'], true, 0])
})

test('document.offer: who asks for what never answers does not keep it withdrawn; what was reached before is tried too', async () => {
  const { offer, tried, reachable, pass } = offerInHand()
  reachable.add('known')
  offer.note('known', 'some')
  for (const client_id of ['x', 'y', 'z']) offer.note(client_id, 'none')
  await pass()
  assert.deepEqual([tried, offer.isOffered()], [['z', 'known'], true])
})

test('document.offer: only three in a row withdraw it', () => {
  const { offer } = offerInHand()
  for (const reach of ['none', 'none', 'some', 'none', 'untried', 'none'] as const) offer.note('a', reach)
  assert.equal(offer.isOffered(), true)
  offer.note('a', 'none')
  assert.equal(offer.isOffered(), false)
})
