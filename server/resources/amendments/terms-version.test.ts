import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { type Amendments, amendmentsOf } from '#test/amendments.ts'
import { clock_start, contractIn } from '#test/contract-states.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
let at: Amendments
before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
  at = amendmentsOf(service, service.organization)
})
after(() => service.close())

const name = { signer_name: 'Someone Named' }

test('a worker signs the amendment it has read; both signatures keep the digest of what was proposed', async () => {
  const contract = await contractIn(service, 'active')
  const draft = await at.draft(contract, { terms: { amount: '5000.00' } })
  const proposed = await at.signForClient(draft)
  assert.equal(proposed.terms_digest, draft.terms_digest)
  const sign = (terms_version: number) =>
    at.call('POST', `/worker${at.path(draft)}/sign`, { ...name, terms_version }, contract.worker)
  const { body: refused } = await sign(draft.terms_version + 1)
  assert.deepEqual([refused.status, refused.code], [409, 'terms_changed'])
  const agreed = await at.done(sign(draft.terms_version))
  // The second signature settles the date that both had left open; what they signed stays what it was.
  assert.ok(agreed.effective_date !== null && draft.effective_date === null)
  assert.equal(agreed.terms_digest, draft.terms_digest)
  const kept = await service.runtime.database.transaction(
    { role: 'app', organization_id: service.organization.id },
    (tx) =>
      tx.row(sql`
        select client_terms_digest as client, worker_terms_digest as worker from amendments where id = ${draft.id}`),
  )
  assert.deepEqual(kept, { client: draft.terms_digest, worker: draft.terms_digest })
  const amended = await at.contract(contract)
  assert.equal(amended.terms_version, 2)
})

test('of an amendment the terms and their date count, not the reason', async () => {
  const draft = await at.draft(await contractIn(service, 'active'), { terms: { amount: '5000.00' } })
  const change = async (body: object) => (await at.done(at.call('PATCH', at.path(draft), body))).terms_version
  assert.equal(draft.terms_version, 1)
  assert.equal(await change({ reason: 'A good year' }), 1)
  assert.equal(await change({ terms: { amount: '5100.00' } }), 2)
  assert.equal(await change({ terms: { amount: '5100' }, reason: 'A good year' }), 2, 'equal values are no write')
  assert.equal(await change({ effective_date: '2026-07-01' }), 3)
  const late = await at.call('POST', `${at.path(draft)}/sign`, { ...name, terms_version: 2 })
  assert.equal(late.body.code, 'terms_changed')
  assert.equal((await at.call('POST', `${at.path(draft)}/sign`, { ...name, terms_version: 3 })).status, 200)
})
