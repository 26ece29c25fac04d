import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceOfCases } from '#test/cases.ts'
import { createPerson, workerLogin } from '#test/factories.ts'
import { inOrganization, type TestService } from '#test/service.ts'

/** An organization whose people have a shirt size, which all see, and a locker, which counts as personal. */
async function defined() {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization())
  const fields = [
    { key: 'shirt', type: 'select', options: ['S', 'M'] },
    { key: 'locker', type: 'text', category: 'personal_identifiers' },
  ]
  for (const field of fields) {
    const { status } = await t.call('POST', '/custom-fields', { body: { name: 'A field', entity: 'person', ...field } })
    assert.equal(status, 201)
  }
  return { t, blind: await t.createToken(t.organization.id, { sensitive_data: [] }) }
}

const patch = (t: TestService, id: string, custom_fields: object, token = t.organization.token) =>
  t.call('PATCH', `/people/${id}`, { token, body: { custom_fields } })

test('a person has custom values from its creation, which change one by one', async () => {
  const { t } = await defined()
  assert.deepEqual((await createPerson(t)).custom_fields, { shirt: null, locker: null })
  const { id } = await createPerson(t, { custom_fields: { shirt: 'S', locker: 'B2' } })
  await t.takeEvents()
  const { body } = await patch(t, id, { shirt: 'M' })
  assert.deepEqual(body.custom_fields, { shirt: 'M', locker: 'B2' })
  assert.deepEqual((await t.call('GET', `/people/${id}`)).body, body)
  const events = await t.takeEvents()
  assert.partialDeepStrictEqual(events, [{ resource: [{ changed_fields: ['custom_fields'] }] }])
  assert.equal((await patch(t, id, { shirt: 'M' })).body.updated_at, body.updated_at)
  assert.deepEqual(await t.takeEvents(), [])
})

test('values that are none are refused where they stand', async () => {
  const { t } = await defined()
  const { id } = await createPerson(t)
  const { status, body } = await patch(t, id, { shirt: 'L', shoe: 42 })
  assert.equal(status, 400)
  assert.deepEqual(
    body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/custom_fields/shirt', '/custom_fields/shoe'],
  )
})

test('a withheld value is null, and a write to it counts as a change whatever was there', async () => {
  const { t, blind } = await defined()
  const { id } = await createPerson(t, { custom_fields: { locker: 'B2' } })
  for (const locker of ['B2', 'C3']) {
    await t.takeEvents()
    const { body } = await patch(t, id, { locker }, blind)
    assert.deepEqual(body.custom_fields, { shirt: null, locker: null })
    assert.equal((await t.takeEvents()).length, 1)
  }
  const own = await t.call('GET', '/worker/me', { token: await workerLogin(t, id) })
  assert.deepEqual(own.body.custom_fields, { shirt: null, locker: 'C3' })
})
