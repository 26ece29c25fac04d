import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { SensitiveCategory } from '#core/caller.ts'
import { sql } from '#db/database.ts'
import { cases } from '#test/cases.ts'
import { createContract } from '#test/factories.ts'
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
  const { worker_id } = await createContract(service)
  const { id: organization_id } = service.organization
  // Written by people.update and its siblings, which come later.
  await service.database.database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.run(sql`
      update people set personal_email = ${home.personal_email}, phone = ${home.phone},
        home_address = ${JSON.stringify(home.home_address)}, emergency_contact = ${JSON.stringify(home.emergency_contact)},
        date_of_birth = ${identity.date_of_birth}, nationality = ${identity.nationality},
        government_ids = ${JSON.stringify(identity.government_ids)}, vat_id = ${identity.vat_id},
        bank_account = ${JSON.stringify(bank.bank_account)}
      where organization_id = ${organization_id} and id = ${worker_id}`),
  )
  for (const [granted, shown, withheld] of [
    [[], {}, { ...home, ...identity, ...bank }],
    [['home_address'], home, { ...identity, ...bank }],
    [['personal_identifiers'], identity, { ...home, ...bank }],
    [['bank_details'], bank, { ...home, ...identity }],
    [['home_address', 'personal_identifiers', 'bank_details'], { ...home, ...identity, ...bank }, {}],
  ] as [SensitiveCategory[], object, object][]) {
    await t.test(granted.join(', ') || 'no category', async () => {
      const token = await service.createToken(organization_id, { scopes: ['people:read'], sensitive_data: granted })
      for (const person of [
        (await service.call('GET', `/people/${worker_id}`, { token })).body,
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
    given: async (t) => ({ person_id: (await createContract(t)).worker_id }),
    body: ({ person_id }) => ({ id: person_id, full_name: 'Jonas Weber' }),
  },
})
