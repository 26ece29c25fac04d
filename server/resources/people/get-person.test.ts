import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { SensitiveCategory } from '#core/caller.ts'
import { cases } from '#test/cases.ts'
import { createPerson } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const home = {
  personal_email: 'jonas@home.example',
  phone: '+4930123456',
  home_address: { line_1: 'Hafenstr. 1', city: 'Berlin', country: 'DE' },
  emergency_contact: { name: 'Eva Weber', phone: '+4930654321' },
}
const identity = {
  date_of_birth: '1990-02-28',
  nationality: 'DE',
  government_ids: [{ type: 'tax_id', country: 'DE', number: '12345' }],
  vat_id: 'DE123',
}
const bank = {
  bank_account: { holder_name: 'Jonas Weber', country: 'DE', currency: 'EUR', iban: 'DE02120300000000202051' },
}
const nothing = (fields: object) => Object.fromEntries(Object.keys(fields).map((name) => [name, null]))

test('each sensitive field is shown with its category and null without', async (t) => {
  const { id } = await createPerson(service, { ...home, ...identity })
  const { status } = await service.call('PUT', `/people/${id}/bank-account`, { body: bank.bank_account })
  assert.equal(status, 200)
  for (const [granted, shown, withheld] of [
    [[], {}, { ...home, ...identity, ...bank }],
    [['home_address'], home, { ...identity, ...bank }],
    [['personal_identifiers'], identity, { ...home, ...bank }],
    [['bank_details'], bank, { ...home, ...identity }],
    [['home_address', 'personal_identifiers', 'bank_details'], { ...home, ...identity, ...bank }, {}],
  ] as [SensitiveCategory[], object, object][]) {
    await t.test(granted.join(', ') || 'no category', async () => {
      const token = await service.createToken(service.organization.id, {
        scopes: ['people:read'],
        sensitive_data: granted,
      })
      for (const person of [
        (await service.call('GET', `/people/${id}`, { token })).body,
        (await service.call('GET', '/people', { token })).body.data[0],
      ]) {
        assert.partialDeepStrictEqual(person, { ...shown, ...nothing(withheld) })
      }
    })
  }
})

cases('people.get', {
  'a person is shown': {
    as: 'reader',
    given: (t) => createPerson(t),
    body: ({ id }) => ({ id, full_name: 'Ada Lindqvist' }),
  },
})
