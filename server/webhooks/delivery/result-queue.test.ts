import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailable } from '#db/errors.ts'
import { type EndedAttempt, unknownResult } from './attempt.ts'
import { ResultQueue } from './result-queue.ts'

const ended = (id: string): EndedAttempt => ({
  claim: {
    organization_id: 'o',
    event_id: id,
    id,
    subscription_id: 's',
    event_type: 'api-token.created',
    origin: 'event',
    source_delivery_id: null,
    schedule_id: 1,
    series: 1,
    attempt_no: 0,
    faults: 0,
    next_attempt_at: '2026-03-02T09:00:00.000Z',
    lease_token: 't',
    url: 'https://receiver.example/',
  },
  id,
  started_at_ms: 0,
  ended_at_ms: 0,
  request_headers: { host: 'receiver.example' },
  key_labels: ['k'],
  result: { ...unknownResult('worker_lost', ''), outcome: 'failed', error_class: 'timeout' },
})
const idsOf = (results: readonly EndedAttempt[]) => results.map(({ id }) => id)
const broken = new Error('unsupported Unicode escape sequence')

test('an outage of the database keeps every result in its order', () => {
  const queue = new ResultQueue()
  for (const id of ['a', 'b']) queue.push(ended(id))
  assert.equal(queue.failed(queue.batch(), new DatabaseUnavailable('away')), null)
  assert.deepEqual(idsOf(queue.batch()), ['a', 'b'])
  assert.equal(queue.isCareful, false)
})

test('results left for the next turn come first in it, and after five such turns their lanes are waited for', () => {
  const queue = new ResultQueue()
  for (const id of ['a', 'busy', 'c']) queue.push(ended(id))
  queue.recorded(3, queue.batch().slice(1, 2))
  queue.push(ended('d'))
  assert.deepEqual(idsOf(queue.batch()), ['busy', 'd'])
  for (let turn = 0; turn < 4; turn += 1) {
    assert.equal(queue.isPatient, false)
    queue.recorded(2, queue.batch())
  }
  assert.equal(queue.isPatient, true)
  queue.recorded(2)
  assert.deepEqual([queue.isPatient, queue.length], [false, 0])
})

test('a turn that recorded nothing does not make those that wait patient again', () => {
  const queue = new ResultQueue()
  queue.push(ended('busy'))
  for (let turn = 0; turn < 5; turn += 1) {
    queue.recorded(1, queue.batch())
    queue.recorded(0)
  }
  assert.equal(queue.isPatient, true)
})

test('a result that cannot be stored is found, tried once more without its evidence, and given up at last', () => {
  const queue = new ResultQueue()
  for (const id of ['a', 'poison', 'c']) queue.push(ended(id))
  queue.failed(queue.batch(), broken)
  assert.deepEqual(idsOf(queue.batch()), ['a'])
  queue.recorded(1)
  assert.equal(queue.failed(queue.batch(), broken), null)
  const [bare] = queue.batch()
  assert.deepEqual([bare?.id, bare?.result.error_class, bare?.request_headers], ['poison', 'internal', {}])
  assert.match(bare?.result.error_detail ?? '', /unsupported Unicode/)
  assert.equal(queue.failed(queue.batch(), broken)?.id, 'poison')
  assert.deepEqual(idsOf(queue.batch()), ['c'])
  queue.recorded(1)
  assert.equal(queue.isCareful, false)
  assert.equal(queue.length, 0)
})
