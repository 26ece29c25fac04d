import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cases, serviceOfCases } from '#test/cases.ts'
import { clock_start, contractIn, eachState } from '#test/contract-states.ts'
import { createContract, workerLogin } from '#test/factories.ts'
import { type TestService, useTestService } from '#test/service.ts'

const body = { signer_name: 'Nora Becker', terms_version: 1 }
const second = ['contract.signature.added', 'contract.signed', 'contract.status.updated', 'person.updated']
const first = { body: { status: 'pending' }, emits: ['contract.signature.added'] }
const over = { answers: '409 invalid_state' } as const

const refusedName = (signer_name: unknown) => ({
  given: (t: TestService) => contractIn(t, 'pending'),
  input: { signer_name },
  answers: '400 validation_failed' as const,
  errors: ['/signer_name'],
})

cases('contracts.sign', {
  ...eachState(
    'the client signs a pending contract once; the second signature makes it active',
    {
      pending: first,
      invited: first,
      worker_signed: { body: { status: 'active' }, emits: second },
      client_signed: { answers: '409 already_signed' },
      active: over,
      terminating: over,
      completed: over,
      terminated: over,
      cancelled: over,
      rejected: over,
    },
    body,
  ),
  'the events of the second signature tell who signed when, and what became of the contract': {
    given: (t) => contractIn(t, 'worker_signed'),
    input: body,
    emits: ({ id, worker_id }) => {
      const entry = { contract_id: id, worker_id, status: 'active' }
      return [
        ['contract.signature.added', { ...entry, party: 'client', signed_at: clock_start }],
        ['contract.signed', { ...entry, client_signed_at: clock_start, worker_signed_at: clock_start }],
        ['contract.status.updated', { ...entry, previous_status: 'pending' }],
        ['person.updated', { person_id: worker_id, status: 'active', changed_fields: ['status'] }],
      ]
    },
  },
  'a signature stands with its name, its time and who gave it': {
    given: (t) => contractIn(t, 'pending'),
    input: body,
    body: {
      signatures: {
        client_name: 'Nora Becker',
        client_signed_at: clock_start,
        client_signed_by: { kind: 'token', name: 'test' },
        worker_name: null,
        worker_signed_at: null,
      },
    },
    emits: ['contract.signature.added'],
  },
  'terms that are not those of the contract are not signed': {
    given: (t) => contractIn(t, 'pending'),
    input: { ...body, terms_version: 2 },
    answers: '409 terms_changed',
  },
  "the signer's name of one letter is refused": refusedName('N'),
  "the signer's name of 201 letters is refused": refusedName('x'.repeat(201)),
  "the signer's name of one letter between spaces is refused": refusedName(' a '),
  "the signer's name null is refused": refusedName(null),
  "the signer's name as a number is refused": refusedName(7),
})

let service: TestService
before(async () => {
  service = await serviceOfCases()
  await service.clock.set(clock_start)
})

test('the second signature drops the open invitation', async () => {
  const { id, worker } = await contractIn(service, 'invited')
  await service.call('POST', `/contracts/${id}/sign`, { body })
  const { body: active } = await service.call('POST', `/worker/contracts/${id}/sign`, { token: worker, body })
  assert.equal(active.invitation, null)
  assert.equal((await service.call('GET', `/contracts/${id}/invitation-link`)).body.code, 'no_open_invitation')
})

test('a contract that is signed on its last day ends with the first timer of the next', async (t) => {
  const service = await useTestService(t)
  await service.clock.set(clock_start)
  // Payroll is outside: no cycles, which would close with the same timers.
  const of_employee = { type: 'employee', compensation: { amount: '4200.00', currency: 'EUR' } }
  const dates = { start_date: '2026-05-01', end_date: '2026-06-15' }
  const { id } = await contractIn(service, 'active', { ...of_employee, ...dates })
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
