import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { clock_start, contractIn } from '#test/contract-states.ts'
import { createContract } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
})
after(() => service.close())

const name = { signer_name: 'Someone Named' }

test('every write to a term counts, and no other write', async () => {
  const { id, terms_version } = await createContract(service)
  assert.equal(terms_version, 1)
  const change = async (body: object) => (await service.call('PATCH', `/contracts/${id}`, { body })).body.terms_version
  assert.equal(await change({ title: 'Another title' }), 1)
  assert.equal(await change({ job_title: 'Lead' }), 2)
  assert.equal(await change({ job_title: 'Lead' }), 2, 'an equal value is no write')
  assert.equal(await change({ compensation: { amount: '4300.00' } }), 3)
})

test('a worker signs the terms it has read, and no others', async () => {
  const { id, worker: token } = await contractIn(service, 'client_signed')
  const sign = (body: object) => service.call('POST', `/worker/contracts/${id}/sign`, { token, body })
  const { body: unnamed, status } = await sign(name)
  assert.deepEqual([status, unnamed.errors], [400, [{ pointer: '/terms_version', message: 'is required' }]])

  await service.call('PATCH', `/contracts/${id}`, { body: { compensation: { amount: '1.00' } } })
  await service.takeEvents()
  const { body: refused } = await sign({ ...name, terms_version: 1 })
  assert.deepEqual([refused.status, refused.code], [409, 'terms_changed'])
  const [error] = refused.errors
  assert.deepEqual([error.pointer, error.message.includes('2')], ['/terms_version', true])
  assert.deepEqual(await service.takeEvents(), [])
  assert.equal((await service.call('GET', `/contracts/${id}`)).body.signatures.worker_signed_at, null)
  assert.equal((await sign({ ...name, terms_version: 2 })).status, 200)
})

test('the client may name what it signs, in a sandbox in the place of the worker too', async () => {
  const { id } = await createContract(service)
  for (const path of [`/contracts/${id}/sign`, `/sandbox/contracts/${id}/worker-signature`]) {
    const sign = (body: object) => service.call('POST', path, { body: { ...name, ...body } })
    const { body } = await sign({ terms_version: 2 })
    // The first organization of a test is a live one, where the sandbox's operation says so first.
    assert.equal(body.code, path.startsWith('/sandbox') ? 'sandbox_only' : 'terms_changed')
  }
  assert.equal((await service.call('POST', `/contracts/${id}/sign`, { body: name })).status, 200)
})

test('the digest is the SHA-256 of the terms as they are shown, and shown to who may see pay', async () => {
  const contract = await createContract(service)
  const { amount: _, ...compensation } = contract.compensation
  const terms = {
    ...compensation,
    amount: contract.compensation.amount,
    type: contract.type,
    start_date: contract.start_date,
    end_date: contract.end_date,
    job_title: contract.job_title,
    seniority: contract.seniority,
    scope_of_work: contract.scope_of_work,
    special_clause: contract.special_clause,
    notice_period_days: contract.notice_period_days,
  }
  const sorted = JSON.stringify(terms, Object.keys(terms).sort())
  assert.equal(contract.terms_digest, createHash('sha256').update(sorted).digest('base64url'))

  const token = await service.createToken(service.organization.id, { sensitive_data: [] })
  const { body } = await service.call('GET', `/contracts/${contract.id}`, { token })
  assert.deepEqual([body.terms_digest, body.terms_version], [null, 1])
})

test('each signature keeps the digest of what it signed, and new terms clear it', async () => {
  const { id } = await contractIn(service, 'active')
  const digests = (of: string) =>
    service.runtime.database.transaction({ role: 'app', organization_id: service.organization.id }, (tx) =>
      tx.row(sql`select client_terms_digest as client, worker_terms_digest as worker from contracts where id = ${of}`),
    )
  const { terms_digest } = (await service.call('GET', `/contracts/${id}`)).body
  assert.deepEqual(await digests(id), { client: terms_digest, worker: terms_digest })

  const signed = await contractIn(service, 'client_signed')
  await service.call('PATCH', `/contracts/${signed.id}`, { body: { job_title: 'Lead' } })
  assert.deepEqual(await digests(signed.id), { client: null, worker: null })
})
