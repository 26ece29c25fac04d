import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import { type Body, createContract, setPerson } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'

const size = { key: 'size', name: 'Size', entity: 'contract', type: 'select', options: ['S', 'M', 'L'] }

const define = async (t: TestService, body: object = {}): Promise<Body> => {
  const made = await t.call('POST', '/custom-fields', { body: { ...size, ...body } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return { ...made.body, custom_field_id: made.body.id }
}

const refused = (body: object, at: string) => ({
  input: { ...size, ...body },
  answers: '400 validation_failed' as const,
  errors: [at],
})

cases('custom_fields.create', {
  'a field is defined': {
    input: { ...size, category: 'compensation' },
    body: { ...size, category: 'compensation' },
    emits: [
      [
        'custom-field.created',
        { key: 'size', name: 'Size', entity: 'contract', type: 'select', category: 'compensation' },
      ],
    ],
  },
  'a select has options': refused({ options: [] }, '/options'),
  'a text has none': refused({ type: 'text' }, '/options'),
  'an option stands once': {
    input: { ...size, options: ['S', 'M', 'S'] },
    body: { options: ['S', 'M'] },
    emits: ['custom-field.created'],
  },
  'a key has no capitals': refused({ key: 'Size' }, '/key'),
  'another entity has keys of its own': {
    given: (t) => define(t),
    input: { ...size, entity: 'person' },
    emits: ['custom-field.created'],
  },
  'a hundred fields are the most': {
    given: async (t) => {
      for (let made = 1; made <= 100; made += 1) await define(t, { key: `field_${made}` })
      return {}
    },
    input: size,
    answers: '409 invalid_state',
  },
})

cases('custom_fields.list', {
  'fields of an entity are listed': {
    given: async (t) => {
      await define(t)
      return define(t, { entity: 'person' })
    },
    input: { entity: 'person' },
    body: ({ id }) => ({ data: [{ id }], total_count: 1 }),
  },
})

cases('custom_fields.get', { 'a field is read': { given: (t) => define(t), body: size } })

const used = async (t: TestService, type: string, value: unknown) => {
  const field = await define(t, { type })
  await createContract(t, { custom_fields: { size: value } })
  return field
}

cases('custom_fields.update', {
  'options are added and unused ones taken away': {
    given: (t) => used(t, 'select', 'S'),
    input: { options: ['S', 'XL'], name: 'T-shirt' },
    body: { options: ['S', 'XL'], name: 'T-shirt' },
    emits: [['custom-field.updated', { name: 'T-shirt', changed_fields: ['name', 'options'] }]],
  },
  'the same options change nothing': { given: (t) => define(t), input: { options: ['S', 'M', 'L'] }, audit: null },
  'an option that a contract has stays': {
    given: (t) => used(t, 'select', 'S'),
    input: { options: ['M', 'L'] },
    answers: '409 has_dependents',
  },
  'one among several stays too': {
    given: (t) => used(t, 'multi_select', ['M', 'S']),
    input: { options: ['M', 'L'] },
    answers: '409 has_dependents',
  },
  'whether an option is used is told only to those who may see the values': {
    as: 'client without compensation',
    given: (t) => define(t, { category: 'compensation' }),
    input: { options: ['S'] },
    answers: '403 sensitive_data_required',
  },
  'an option of a deleted person goes': {
    given: async (t) => {
      const field = await define(t, { entity: 'person' })
      const { worker_id } = await createContract(t)
      const deleted_at = '2026-03-01T00:00:00Z'
      await setPerson(t, worker_id, { custom_fields: JSON.stringify({ [field.id]: 'S' }), deleted_at })
      return field
    },
    input: { options: ['M', 'L'] },
    emits: ['custom-field.updated'],
  },
})

cases('custom_fields.delete', {
  'a field that is used goes with its values, also from a field that takes its key': {
    given: (t) => used(t, 'select', 'S'),
    emits: ['custom-field.deleted'],
    afterwards: async (t) => {
      const shown = async () => (await t.call('GET', '/contracts')).body.data[0].custom_fields
      assert.deepEqual(await shown(), {})
      await define(t, { type: 'text', options: [] })
      assert.deepEqual(await shown(), { size: null })
    },
  },
})
