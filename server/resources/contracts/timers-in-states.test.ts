import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceOfCases } from '#test/cases.ts'
import { type ContractState, clock_start, contractIn, contractStates } from '#test/contract-states.ts'
import { inOrganization } from '#test/service.ts'
import { fireAlone } from '#test/timers.ts'

interface Outcome {
  leads_to: string
  tells: string[]
}

/** Domain rules 3.1: what a timer does to a contract in each situation; in every other it leaves it as it is. */
const timers: Record<string, Partial<Record<ContractState, Outcome>>> = {
  contract_end: {
    active: { leads_to: 'completed', tells: ['contract.completed', 'contract.status.updated', 'person.updated'] },
    terminating: {
      leads_to: 'terminated',
      tells: ['contract.terminated', 'contract.status.updated', 'person.updated'],
    },
  },
  invitation_expiry: { invited: { leads_to: 'pending', tells: ['contract.invitation.expired'] } },
}

for (const [kind, outcomes] of Object.entries(timers)) {
  for (const state of contractStates) {
    const { [state]: outcome } = outcomes
    test(`a contract that is ${state}, timer ${kind}: ${outcome?.leads_to ?? 'nothing happens'}`, async () => {
      const service = await serviceOfCases()
      await service.clock.set(clock_start)
      const t = inOrganization(service, await service.createOrganization())
      const { id } = await contractIn(t, state, { end_date: '2026-12-15' })
      const read = async () => (await t.call('GET', `/contracts/${id}`)).body
      const before = await read()
      await t.takeEvents()
      // By then an invitation has run out.
      await t.clock.set('2026-06-29T09:00:00.000Z')
      await fireAlone(t, { kind, subject_id: id, sequence_id: id })
      const after = await read()
      const told = (await t.takeEvents()).map(({ event_type }) => event_type)
      assert.deepEqual(told, outcome?.tells ?? [])
      if (!outcome) return assert.deepEqual(after, before)
      assert.deepEqual([after.status, after.invitation], [outcome.leads_to, null])
    })
  }
}
