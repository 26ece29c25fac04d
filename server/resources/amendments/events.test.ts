import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definedEvents } from '#core/operation.ts'
import { compileWithholding } from '#core/schema/fields.ts'
import { compileOutput } from '#core/schema/validate.ts'
import './events.ts'

const amendment_events = definedEvents().filter(({ type }) => type.startsWith('contract.amend'))

for (const { type, entry, example } of amendment_events) {
  test(`${type}: the example is valid, and without compensation exactly its amounts are null`, () => {
    assert.deepEqual(compileOutput(entry)(example), [])
    const sensitive = compileWithholding(entry)
    const title = { field: 'job_title', from: null, to: 'Lead' }
    // The cast holds because every amendment lists its changes.
    const full = { ...example, changes: [...(example.changes as object[]), title] }
    const withheld = sensitive.withhold(full, new Set())
    assert.deepEqual(withheld, { ...full, changes: [{ field: 'amount', from: null, to: null }, title] })
    assert.deepEqual(compileOutput(entry)(withheld), [])
    assert.deepEqual(sensitive.withhold(full, new Set(['compensation'])), full)
  })
}
