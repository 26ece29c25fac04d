import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '#db/database.ts'
import { serviceOfCases } from '#test/cases.ts'
import { type Body, contractBody, createContract } from '#test/factories.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import { callTool, createMember } from '#test/tool-client.ts'

/** An organization with a field of each type, and one that only callers with the category see. */
async function defined(): Promise<{ t: TestService; blind: string }> {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization({ is_sandbox: false }))
  for (const type of ['text', 'number', 'date', 'boolean', 'select', 'multi_select']) {
    const options = type.endsWith('select') ? ['S', 'M'] : []
    await define(t, { key: `a_${type}`, type, options })
  }
  await define(t, { key: 'grade', type: 'number', category: 'health_and_leave' })
  return { t, blind: await t.createToken(t.organization.id, { without: ['health_and_leave'] }) }
}

async function define(t: TestService, body: object): Promise<Body> {
  const answer = await t.call('POST', '/custom-fields', { body: { name: 'A field', entity: 'contract', ...body } })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

const nothing = {
  ...{ a_text: null, a_number: null, a_date: null, a_boolean: null, a_select: null, a_multi_select: null, grade: null },
}

test('values of every type are kept, shown, changed one by one and cleared', async () => {
  const { t } = await defined()
  const values = {
    ...{ a_text: ' two\nlines ', a_number: 1.5, a_date: '2026-03-16', a_boolean: false, a_select: 'S' },
    ...{ a_multi_select: ['M', 'S'], grade: 3 },
  }
  const { id, custom_fields } = await createContract(t, { custom_fields: values })
  assert.deepEqual(custom_fields, { ...values, a_text: 'two\nlines' })
  const change = { a_number: 2, a_boolean: null }
  const { body } = await t.call('PATCH', `/contracts/${id}`, { body: { custom_fields: change } })
  const after = { ...custom_fields, ...change }
  assert.deepEqual(body.custom_fields, after)
  assert.deepEqual((await t.call('GET', `/contracts/${id}`)).body.custom_fields, after)
  await t.takeEvents()
  const same = await t.call('PATCH', `/contracts/${id}`, { body: { custom_fields: change } })
  assert.equal(same.body.updated_at, body.updated_at)
  assert.deepEqual(await t.takeEvents(), [])
  assert.deepEqual((await createContract(t)).custom_fields, nothing)
})

test('values that are not of their type are refused where they stand', async () => {
  const { t } = await defined()
  const wrong: Record<string, unknown> = {
    ...{ a_text: 'x'.repeat(2001), a_number: '1', a_date: '2026-02-30', a_boolean: 0, a_select: 'L' },
    ...{ a_multi_select: ['S', 'L'], unknown: 1 },
  }
  const { id } = await createContract(t)
  for (const [method, path, rest] of [
    ['POST', '/contracts', contractBody(t)],
    ['PATCH', `/contracts/${id}`, {}],
  ] as const) {
    const { status, body } = await t.call(method, path, { body: { ...rest, custom_fields: wrong } })
    assert.equal(status, 400)
    assert.deepEqual(
      body.errors.map(({ pointer }: Body) => pointer),
      Object.keys(wrong).map((key) => `/custom_fields/${key}${key === 'a_multi_select' ? '/1' : ''}`),
    )
  }
})

describe('a value of a category that the caller has not', () => {
  const graded = async () => {
    const { t, blind } = await defined()
    const contract = await createContract(t, { custom_fields: { grade: 3, a_number: 1 } })
    return { t, blind, id: String(contract.id) }
  }

  test('is null in reads, lists and answers of changes, and named as withheld', async () => {
    const { t, blind, id } = await graded()
    const path = `/contracts/${id}`
    for (const [method, at, body] of [
      ['GET', path],
      ['GET', '/contracts'],
      ['PATCH', path, { title: 'Another' }],
    ] as const) {
      const seen = async (token: string) => {
        const { body: shown, headers } = await t.call(method, at, { token, ...(body && { body }) })
        return [(shown.data?.[0] ?? shown).custom_fields, headers['sensitive-data-withheld']]
      }
      assert.deepEqual(await seen(blind), [{ ...nothing, a_number: 1 }, 'health_and_leave'])
      assert.deepEqual(await seen(t.organization.token), [{ ...nothing, a_number: 1, grade: 3 }, undefined])
    }
  })

  test('looks like none, in the version too', async () => {
    const { t, blind, id } = await graded()
    const read = () => t.call('GET', `/contracts/${id}`, { token: blind })
    const before = await read()
    const { id: organization_id } = t.organization
    await t.database.database.transaction({ role: 'app', organization_id }, (tx) =>
      tx.run(sql`
        update contracts set custom_fields = custom_fields - (
          select f.id::text from custom_fields f where f.organization_id = ${organization_id} and f.key = 'grade')
        where organization_id = ${organization_id} and id = ${id}`),
    )
    const after = await read()
    assert.deepEqual([after.body, after.headers.etag], [before.body, before.headers.etag])
  })

  test('is null in a repeat, which nobody else can make with a guess', async () => {
    const { t, blind } = await graded()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const body = contractBody(t, { custom_fields: { grade: 3 } })
    const first = await t.call('POST', '/contracts', { body, headers })
    const repeat = await t.call('POST', '/contracts', { body, headers })
    assert.deepEqual([repeat.status, repeat.body.custom_fields.grade], [201, 3])
    for (const grade of [3, 4]) {
      const guess = { ...body, custom_fields: { grade } }
      const answer = await t.call('POST', '/contracts', { body: guess, headers, token: blind })
      assert.equal(answer.body.code, 'idempotency_key_reused')
    }
    const renamed = { body: { title: 'Another' }, headers: { 'idempotency-key': crypto.randomUUID() } }
    const path = `/contracts/${first.body.id}`
    assert.equal((await t.call('PATCH', path, renamed)).body.custom_fields.grade, 3)
    const seen = await t.call('PATCH', path, { ...renamed, token: blind })
    assert.deepEqual([seen.headers['idempotent-replayed'], seen.body.custom_fields.grade], ['true', null])
  })

  test('counts as changed whatever is written to it, and no event tells it', async () => {
    const { t, blind, id } = await graded()
    for (const grade of [3, 4]) {
      await t.takeEvents()
      const body = { custom_fields: { grade } }
      const answer = await t.call('PATCH', `/contracts/${id}`, { body, token: blind })
      assert.equal(answer.body.custom_fields.grade, null)
      const events = await t.takeEvents()
      assert.deepEqual(
        events.map(({ event_type, resource }) => [event_type, resource[0]?.changed_fields]),
        [['contract.updated', ['custom_fields']]],
      )
      assert.equal(JSON.stringify(events).includes('grade'), false)
    }
    assert.equal((await t.call('GET', `/contracts/${id}`)).body.custom_fields.grade, 4)
  })

  test('is null in a dry run and for a tool', async () => {
    const { t, blind, id } = await graded()
    const headers = { 'stint-dry-run': 'true' }
    const dry = await t.call('PATCH', `/contracts/${id}`, { body: { title: 'Another' }, token: blind, headers })
    assert.deepEqual([dry.status, dry.body.custom_fields.grade], [200, null])
    const { token } = await createMember(t, { sensitive_data: ['compensation'] })
    const { structuredContent } = await callTool(t, token, 'get_contract', { contract_id: id })
    assert.deepEqual(structuredContent.custom_fields, { ...nothing, a_number: 1 })
    assert.ok(JSON.stringify(structuredContent.withheld).includes('health_and_leave'))
  })
})
