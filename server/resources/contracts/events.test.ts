import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definedEvents } from '#core/operation.ts'
import { compileOutput } from '#core/schema/validate.ts'
import './events.ts'

const events = definedEvents().filter(({ module }) => module === 'contracts' || module === 'people')

test('the example of every event of contracts and people is what its schema says', () => {
  for (const { type, entry, example, summary, module } of events) {
    assert.deepEqual(compileOutput(entry)(example), [], type)
    assert.deepEqual(Object.keys(example).sort(), Object.keys(entry.properties).sort(), type)
    assert.equal(module, type.startsWith('contract.') ? 'contracts' : 'people')
    assert.match(summary, /^[A-Z].*\.$/)
  }
})

test('the contract’s own events carry the fields that the interface specification names', () => {
  for (const { type, entry } of events.filter(({ module }) => module === 'contracts')) {
    for (const field of ['contract_id', 'worker_email', 'status', 'created_at', 'type', 'country']) {
      assert.ok(field in entry.properties, `${type} lacks ${field}`)
    }
  }
})
