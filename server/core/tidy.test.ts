import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { collectGarbage } from './tidy.ts'

test('what nobody holds any more is collected, what is held stays, and no other code gets at the collector', async () => {
  const held = { bytes: new Uint8Array(1_000) }
  const [kept, lost] = [new WeakRef(held), new WeakRef({ bytes: new Uint8Array(1_000) })]
  // A weak reference holds its object until the turn that made it is over.
  await pause(1)
  collectGarbage()
  assert.equal(lost.deref(), undefined)
  assert.equal(kept.deref(), held)
  assert.equal('gc' in globalThis, false)
})
