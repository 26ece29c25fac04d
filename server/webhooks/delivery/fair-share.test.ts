import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairShare } from './fair-share.ts'
import { Lane } from './lane.ts'

const lane = (subscription_id: string, organization_id: string) =>
  new Lane(subscription_id, { organization_id, consecutive_failures: 0, limit_now: null, mean_ms: null })

/** Gives out `slots` again and again; every attempt takes what its lane takes. Answers attempts by lane. */
function run(lanes: readonly Lane[], taking_ms: (lane: Lane) => number, rounds: number, slots = 4): Map<Lane, number> {
  const share = new FairShare()
  const made = new Map<Lane, number>()
  for (let round = 0; round < rounds; round += 1)
    for (const granted of share.divide(
      lanes.map((one) => ({ lane: one, room: 2 })),
      slots,
      slots,
      new Map(),
    )) {
      for (let attempt = 0; attempt < granted.room; attempt += 1) {
        share.begin(granted.lane)
        share.end(granted.lane, taking_ms(granted.lane))
      }
      made.set(granted.lane, (made.get(granted.lane) ?? 0) + granted.room)
    }
  return made
}

test('organizations have the same slot time, however many subscriptions each has', () => {
  const lone = lane('lone', 'small')
  const many = Array.from({ length: 9 }, (_, index) => lane(`many${index}`, 'large'))
  const made = run([lone, ...many], () => 10, 300)
  const large = many.reduce((sum, one) => sum + (made.get(one) ?? 0), 0)
  assert.ok(Math.abs((made.get(lone) ?? 0) - large) <= 4, `${made.get(lone)} and ${large}`)
  for (const one of many) assert.ok(Math.abs((made.get(one) ?? 0) - large / 9) <= 4)
})

test('a receiver that takes ten times as long has a tenth of the attempts', () => {
  const [quick, long] = [lane('quick', 'one'), lane('long', 'two')]
  const made = run([quick, long], (one) => (one === long ? 1_000 : 100), 400, 1)
  const ratio = (made.get(quick) ?? 0) / (made.get(long) ?? 0)
  assert.ok(ratio > 8 && ratio < 12, `${ratio}`)
})

test('who was idle comes back level with the others: nothing is saved up', () => {
  const [busy, back] = [lane('busy', 'one'), lane('back', 'two')]
  const share = new FairShare()
  const give = (...lanes: Lane[]) => {
    const [first] = share.divide(
      lanes.map((one) => ({ lane: one, room: 1 })),
      1,
      2,
      new Map(),
    )
    assert.ok(first)
    share.begin(first.lane)
    return first.lane.subscription_id
  }
  for (let round = 0; round < 1_000; round += 1) give(busy)
  const given = Array.from({ length: 10 }, () => give(busy, back))
  assert.equal(given.filter((id) => id === 'back').length, 5)
})

test('an organization holds half of the slots at most while another one has something due', () => {
  const share = new FairShare()
  const [mine, theirs] = [lane('mine', 'one'), lane('theirs', 'two')]
  const held = new Map([['one', 7]])
  const both = share.divide(
    [mine, theirs].map((one) => ({ lane: one, room: 8 })),
    9,
    16,
    held,
  )
  assert.deepEqual(
    new Map(both.map(({ lane: { subscription_id }, room }) => [subscription_id, room])),
    new Map([
      ['mine', 1],
      ['theirs', 8],
    ]),
  )
  const alone = share.divide([{ lane: mine, room: 8 }], 9, 16, held)
  assert.deepEqual(
    alone.map(({ room }) => room),
    [8],
  )
})
