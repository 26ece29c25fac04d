import { amendmentIn, amendmentsOf, eachStatus } from '#test/amendments.ts'
import { type Case, cases } from '#test/cases.ts'
import type { TestService } from '#test/service.ts'

const signed = 'contract.amendment.signed'
const moved = 'contract.amendment.status.updated'
const in_force = { body: { status: 'active', sign_status: 'approved' }, emits: [signed, moved, 'contract.amended'] }
const named = { signer_name: 'Jonas Weber', terms_version: 1 }

/** An amendment that the client signed, for the very day on which another was approved meanwhile. */
async function overtaken(t: TestService) {
  const at = amendmentsOf(t, t.organization)
  const contract = await at.activeContract()
  await at.agreed(contract, { terms: { amount: '4500.00' }, effective_date: '2026-07-01' })
  // Without a date, cycle terms take the first day of the next cycle when they are signed: the same day.
  const { id: amendment_id, contract_id } = await at.signForClient(
    await at.draft(contract, { terms: { frequency: 'weekly' } }),
  )
  return { amendment_id, contract_id, worker: await at.mint(contract.worker_id) }
}

const otherTerms = (status: 'initial' | 'pending'): Case => ({
  given: (t) => amendmentIn(t, status),
  input: { ...named, terms_version: 2 },
  answers: '409 terms_changed',
})
const taken: Case = { given: overtaken, input: named, answers: '409 effective_date_taken' }

cases(
  'amendments.sign',
  {
    ...eachStatus(
      'the client signs a draft',
      { signer_name: 'Nora Adler' },
      {
        initial: {
          body: { status: 'pending', sign_status: 'waiting_for_approval' },
          emits: [[signed, { party: 'client' }], moved],
        },
      },
    ),
    'terms that are not those of the amendment are not signed': otherTerms('initial'),
  },
  { sandbox: true },
)

cases(
  'worker.sign_amendment',
  {
    ...eachStatus('the worker signs what the client signed', named, { pending: in_force }),
    'terms that are not those of the amendment are not signed': otherTerms('pending'),
    'the day of another amendment is taken': taken,
    'in a live organization a minted worker token signs nothing': {
      sandbox: false,
      given: (t) =>
        amendmentIn(t, 'initial').then(async (made) => {
          await amendmentsOf(t, t.organization).signForClient(made.amendment)
          return made
        }),
      input: named,
      answers: '403 own_login_required',
    },
  },
  { sandbox: true },
)

cases(
  'sandbox.sign_amendment',
  {
    ...eachStatus('the worker of a sandbox signs what the client signed', {}, { pending: in_force }),
    'terms that are not those of the amendment are not signed': otherTerms('pending'),
    'the day of another amendment is taken': { ...taken, input: {} },
    'in a live organization nobody signs for the worker': {
      sandbox: false,
      given: (t) => amendmentIn(t, 'initial'),
      answers: '409 sandbox_only',
    },
  },
  { sandbox: true },
)
