import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Amendments, ahead, amendmentsOf } from '#test/amendments.ts'
import { serviceOfCases } from '#test/cases.ts'
import { clock_start } from '#test/contract-states.ts'
import { inOrganization, type TestAnswer, type TestService } from '#test/service.ts'
import { fireAlone } from '#test/timers.ts'
import { type AmendmentStatus, amendment_statuses } from './amendment.ts'

type Body = TestAnswer['body']

interface Trigger {
  act(t: TestService, at: Amendments, amendment: Body, other: Body): Promise<unknown>
  leads: Partial<Record<AmendmentStatus, { status: AmendmentStatus; sign_status: string; tells: readonly string[] }>>
}

const moved = 'contract.amendment.status.updated'
const takesEffect = (t: TestService, { id, contract_id }: Body) =>
  fireAlone(t, { kind: 'amendment_effective', subject_id: id, sequence_id: contract_id })
const outdated = { status: 'outdated', sign_status: 'approved', tells: [moved] } as const
const declined = { status: 'declined', sign_status: 'declined', tells: ['contract.amendment.declined', moved] } as const

/** Things that happen to an amendment by others than its parties (domain rules 3.2), in each of its statuses; all others stay. */
const triggers: Record<string, Trigger> = {
  'timer amendment_effective': {
    act: (t, _, amendment) => takesEffect(t, amendment),
    leads: { approved: { status: 'active', sign_status: 'approved', tells: [moved, 'contract.amended'] } },
  },
  'another one takes effect': { act: (t, _, __, other) => takesEffect(t, other), leads: { active: outdated } },
  'the contract ends': {
    act: (_, at, { contract_id }) =>
      at.done(at.call('POST', `/contracts/${contract_id}/terminate`, { type: 'termination' })),
    leads: {
      initial: declined,
      pending: declined,
      approved: outdated,
      active: outdated,
    },
  },
}

for (const [name, { act, leads }] of Object.entries(triggers)) {
  for (const status of amendment_statuses) {
    const outcome = leads[status]
    test(`an amendment that is ${status}, ${name}: ${outcome?.status ?? 'nothing happens'}`, async () => {
      const service = await serviceOfCases()
      await service.clock.set(clock_start)
      const t = inOrganization(service, await service.createOrganization({ is_sandbox: true }))
      const at = amendmentsOf(t, t.organization)
      const contract = await at.activeContract()
      const other = await at.agreed(contract, { terms: { seniority: 'Senior' }, effective_date: ahead(t, 40) })
      const before = await at.inStatus(status, contract)
      await t.takeEvents()
      await act(t, at, before, other)
      const told = (await t.takeEvents()).filter(({ resource: [entry] }) => entry?.amendment_id === before.id)
      assert.deepEqual(
        told.map(({ event_type }) => event_type),
        outcome?.tells ?? [],
      )
      const after = await at.get(before)
      if (!outcome) return assert.deepEqual(after, before)
      assert.deepEqual([after.status, after.sign_status], [outcome.status, outcome.sign_status])
    })
  }
}
