import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileOutput } from '#core/schema/validate.ts'
import { peopleEvents } from '#resources/people/index.ts'
import { contractEvents } from './events.ts'

test('the example of every event of contracts and people is what its schema says', () => {
  for (const { type, entry, example, summary, module } of [...contractEvents, ...peopleEvents]) {
    assert.deepEqual(compileOutput(entry)(example), [], type)
    assert.deepEqual(Object.keys(example).sort(), Object.keys(entry.properties).sort(), type)
    assert.equal(module, type.startsWith('contract.') ? 'contracts' : 'people')
    assert.match(summary, /^[A-Z].*\.$/)
  }
})

test('the contract’s own events carry the fields that the interface specification names', () => {
  for (const { type, entry } of contractEvents) {
    for (const field of ['contract_id', 'worker_email', 'status', 'created_at', 'type', 'country']) {
      assert.ok(field in entry.properties, `${type} lacks ${field}`)
    }
  }
})
