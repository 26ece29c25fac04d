import assert from 'node:assert/strict'
import { cases } from '#test/cases.ts'
import { type Body, createContract, setPerson } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'

const berlin = { name: 'Berlin', country: 'DE' }
const address = { line_1: 'Uferstraße 8', city: 'Berlin', country: 'DE' }

const make = async (t: TestService, body: object = {}): Promise<Body> => {
  const made = await t.call('POST', '/working-locations', { body: { ...berlin, ...body } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return { ...made.body, working_location_id: made.body.id }
}

cases('working_locations.create', {
  'a location is stored': {
    input: { ...berlin, address, external_id: 'ber' },
    body: { ...berlin, address, external_id: 'ber' },
    emits: [['working-location.created', { name: 'Berlin', country: 'DE', external_id: 'ber' }]],
  },
})

cases('working_locations.list', {
  'locations are found by country': {
    given: async (t) => {
      await make(t)
      return make(t, { name: 'Austin', country: 'US' })
    },
    input: { countries: ['US'] },
    body: ({ id }) => ({ data: [{ id }], total_count: 1 }),
  },
})

cases('working_locations.get', {
  'a location is read': { given: (t) => make(t, { address }), body: { ...berlin, address } },
})

cases('working_locations.update', {
  'an address is given': {
    given: (t) => make(t),
    input: { address },
    body: { address },
    emits: [['working-location.updated', { changed_fields: ['address'] }]],
  },
  'the same address changes nothing': { given: (t) => make(t, { address }), input: { address }, audit: null },
})

cases('working_locations.delete', {
  'a location is deleted': { given: (t) => make(t), emits: ['working-location.deleted'] },
  'one where somebody works stays': {
    given: async (t) => {
      const made = await make(t)
      const { worker_id } = await createContract(t)
      await setPerson(t, worker_id, { working_location_id: made.id })
      return made
    },
    answers: '409 has_dependents',
  },
})
