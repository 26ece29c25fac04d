import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clock_start, contractIn, contractStates } from '#test/contract-states.ts'
import { createContract, createPerson } from '#test/factories.ts'
import { type TestService, useTestService } from '#test/service.ts'
import { type StepName, stepsOf } from '../../console/src/app/contracts/steps.ts'
import { contractChange, newContract, valuesOf } from '../../console/src/app/contracts/values.ts'
import { contract_types, cycleEnds, type Frequency, frequencies } from '../../console/src/app/contracts/words.ts'

const rehearse = (service: TestService, method: string, path: string, body: object) =>
  service.call(method, path, { body, headers: { 'Stint-Dry-Run': 'true' } })

/** The call behind each step; `edit` and `invite` of a form are tried below and in the browser. */
const calls: Record<Exclude<StepName, 'edit'>, [path: string, body: object]> = {
  sign: ['sign', { signer_name: 'Nora Pine' }],
  invite: ['invite', {}],
  revoke_invitation: ['revoke-invitation', {}],
  amend: ['amendments', { terms: { job_title: 'Lead designer' } }],
  terminate: ['terminate', { type: 'termination' }],
  cancel_termination: ['cancel-termination', {}],
  cancel: ['cancel', {}],
  archive: ['archive', {}],
  unarchive: ['unarchive', {}],
}

test('a step of a contract is offered exactly where the service takes it, and says why elsewhere', async (t) => {
  const service = await useTestService(t)
  await service.clock.set(clock_start)
  const situations = contractStates.flatMap((state) => [
    { state, then: null },
    ...(state === 'active' ? [{ state, then: ['amendments', { terms: { job_title: 'Designer' } }] as const }] : []),
    ...(state === 'terminated' ? [{ state, then: ['archive', {}] as const }] : []),
  ])
  for (const { state, then } of situations) {
    await t.test(then ? `${state}, ${then[0]}` : state, async () => {
      const { id } = await contractIn(service, state)
      if (then) await service.call('POST', `/contracts/${id}/${then[0]}`, { body: then[1] })
      const { body: contract } = await service.call('GET', `/contracts/${id}`)
      const offered = stepsOf(contract, then?.[0] === 'amendments')
      for (const [name, [path, body]] of Object.entries(calls)) {
        const step = offered.find((one) => one.name === name)
        const { status } = await rehearse(service, 'POST', `/contracts/${id}/${path}`, body)
        assert.ok([200, 201, 409].includes(status), `${name}: ${status}`)
        assert.equal(step?.why === null, status !== 409, `${name}: ${status}, ${step ? step.why : 'not named'}`)
      }
    })
  }
})

/** Texts left of another type that was looked at first, beside those of the type that was chosen. */
const typed = {
  ...{ title: 'Harbour design', start_date: '2026-07-01', end_date: '', currency: 'EUR', amount: '1250' },
  ...{ scale: 'hourly', frequency: 'biweekly', cycle_end: 'day_of_week:7', first_cycle_end: '2026-07-05' },
  ...{ payment_due_days: '7', pay_before_weekends: '', proration: 'calendar_days', notice_period_days: '30' },
  ...{ vat_rate: '19', reverse_charge: '', external_id: '' },
}

test('a form makes a contract of each type, and changes nothing of it until something is typed', async (t) => {
  const service = await useTestService(t)
  await service.clock.set(clock_start)
  const { id: worker_id } = await createPerson(service, { country: 'DE' })
  for (const { value: type } of contract_types) {
    const { status, body } = await service.call('POST', '/contracts', {
      body: newContract({ ...typed, type, worker_id }),
    })
    assert.equal(status, 201, `${type}: ${JSON.stringify(body)}`)
    const values = valuesOf(body)
    assert.deepEqual(contractChange(values, values), {}, type)
    const change = contractChange(values, { ...values, title: 'Redesign', vat_rate: '', notice_period_days: '0' })
    assert.deepEqual(change, { title: 'Redesign', notice_period_days: 0, tax: { vat_rate: null } })
  }
})

test('every end of a period that a form offers is one that the service takes, the usual one first', async (t) => {
  const service = await useTestService(t)
  await service.clock.set(clock_start)
  const { id, compensation } = await createContract(service)
  const values = valuesOf({ ...(await service.call('GET', `/contracts/${id}`)).body, compensation })
  for (const { value } of frequencies) {
    const frequency = value as Frequency
    const bare = await rehearse(service, 'PATCH', `/contracts/${id}`, { compensation: { frequency } })
    const { cycle_end_type, cycle_end } = bare.body.compensation
    assert.equal(cycleEnds(frequency)[0]?.value, `${cycle_end_type}:${cycle_end}`, value)
    for (const { value: end, words } of cycleEnds(frequency)) {
      const change = contractChange(values, { ...values, frequency, cycle_end: end, scale: frequency, title: 'Other' })
      const { status, body } = await rehearse(service, 'PATCH', `/contracts/${id}`, change)
      assert.equal(status, 200, `${value}, ${words}: ${JSON.stringify(body)}`)
    }
  }
})
