import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clock_start, contractIn, playStates } from '#test/contract-states.ts'
import { createContract, workerLogin } from '#test/factories.ts'
import { startTestService, type TestService, useTestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
})
after(() => service.close())

const body = { signer_name: 'Nora Becker', terms_version: 1 }
const second = ['contract.signature.added', 'contract.signed', 'contract.status.updated', 'person.updated']
const over = { refused: 'invalid_state' }

test('the client signs a pending contract once; the second signature makes it active', (t) =>
  playStates(t, service, ({ id }) => service.call('POST', `/contracts/${id}/sign`, { body }), {
    pending: { to: 'pending', events: ['contract.signature.added'] },
    invited: { to: 'pending', events: ['contract.signature.added'] },
    worker_signed: { to: 'active', events: second },
    client_signed: { refused: 'already_signed' },
    active: over,
    terminating: over,
    completed: over,
    terminated: over,
    cancelled: over,
    rejected: over,
  }))

test('the events of both signatures tell who signed when, and what became of the contract', async (t) => {
  const service = await useTestService(t)
  await service.clock.set(clock_start)
  const contract = await contractIn(service, 'client_signed')
  await service.clock.advance(60_000)
  await service.takeEvents()
  await service.call('POST', `/worker/contracts/${contract.id}/sign`, { token: contract.worker, body })
  const [added, signed, status, person] = (await service.takeEvents()).map(({ resource }) => resource[0])
  const at = new Date(service.clock.now()).toISOString()
  const entry = { contract_id: contract.id, worker_id: contract.worker_id, status: 'active' }
  assert.partialDeepStrictEqual(added, { ...entry, party: 'worker', signed_at: at })
  assert.partialDeepStrictEqual(signed, { ...entry, client_signed_at: clock_start, worker_signed_at: at })
  assert.partialDeepStrictEqual(status, { ...entry, previous_status: 'pending' })
  assert.partialDeepStrictEqual(person, {
    person_id: contract.worker_id,
    status: 'active',
    changed_fields: ['status'],
  })
})

test('a signature stands with its name, its time and who gave it', async () => {
  const { id } = await contractIn(service, 'pending')
  const { body: signed } = await service.call('POST', `/contracts/${id}/sign`, { body })
  assert.partialDeepStrictEqual(signed.signatures, {
    client_name: 'Nora Becker',
    client_signed_at: clock_start,
    client_signed_by: { kind: 'token', name: 'test' },
    worker_name: null,
    worker_signed_at: null,
  })
})

test('the second signature drops the open invitation', async () => {
  const { id, worker } = await contractIn(service, 'invited')
  await service.call('POST', `/contracts/${id}/sign`, { body })
  const { body: active } = await service.call('POST', `/worker/contracts/${id}/sign`, { token: worker, body })
  assert.equal(active.invitation, null)
  assert.equal((await service.call('GET', `/contracts/${id}/invitation-link`)).body.code, 'no_open_invitation')
})

test('a contract that is signed on its last day ends with the first sweep of the next', async (t) => {
  const service = await useTestService(t)
  await service.clock.set(clock_start)
  const { id } = await contractIn(service, 'active', { start_date: '2026-05-01', end_date: '2026-06-15' })
  await service.clock.set('2026-06-15T22:00:00.000Z')
  await service.takeEvents()
  await service.timers.runDue()
  assert.equal((await service.call('GET', `/contracts/${id}`)).body.status, 'completed')
  assert.deepEqual(
    (await service.takeEvents()).map(({ event_type }) => event_type),
    ['contract.completed', 'contract.status.updated', 'person.updated'],
  )
})

test('both parties signing at once make the contract active exactly once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id, worker } = await contractIn(service, 'pending')
    await service.takeEvents()
    const answers = await Promise.all([
      service.call('POST', `/contracts/${id}/sign`, { body }),
      service.call('POST', `/worker/contracts/${id}/sign`, { token: worker, body }),
    ])
    assert.deepEqual(answers.map(({ body: { status } }) => status).sort(), ['active', 'pending'])
    const events = (await service.takeEvents()).map(({ event_type }) => event_type)
    assert.deepEqual(events, ['contract.signature.added', ...second])
  }
})

test('of two first signatures of one party at once, one is refused as already_signed', async () => {
  const { id } = await contractIn(service, 'pending')
  await service.takeEvents()
  const answers = await Promise.all([1, 2, 3].map(() => service.call('POST', `/contracts/${id}/sign`, { body })))
  assert.deepEqual(answers.map(({ body: { status } }) => status).sort(), [409, 409, 'pending'])
  assert.deepEqual(
    answers.flatMap(({ body: { code } }) => code ?? []),
    ['already_signed', 'already_signed'],
  )
  assert.equal((await service.takeEvents()).length, 1)
})

test('two contracts of one person signed at once leave the person active', async () => {
  const one = await contractIn(service, 'client_signed')
  const other = await createContract(service, { worker_id: one.worker_id })
  await service.call('POST', `/contracts/${other.id}/sign`, { body })
  const token = await workerLogin(service, one.worker_id)
  await Promise.all([one, other].map(({ id }) => service.call('POST', `/worker/contracts/${id}/sign`, { token, body })))
  assert.equal((await service.call('GET', `/people/${one.worker_id}`)).body.status, 'active')
})

for (const signer_name of ['N', 'x'.repeat(201), ' a ', null, 7]) {
  test(`the signer's name ${JSON.stringify(signer_name).slice(0, 12)} is refused`, async () => {
    const { id } = await contractIn(service, 'pending')
    const { status, body: refusal } = await service.call('POST', `/contracts/${id}/sign`, { body: { signer_name } })
    assert.equal(status, 400)
    assert.equal(refusal.errors[0].pointer, '/signer_name')
  })
}
