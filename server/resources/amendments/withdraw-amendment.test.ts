import { amendmentIn, amendmentsOf, eachStatus } from '#test/amendments.ts'
import { cases } from '#test/cases.ts'

const declined = {
  body: { status: 'declined', sign_status: 'declined' },
  emits: ['contract.amendment.declined', 'contract.amendment.status.updated'],
}

cases(
  'amendments.withdraw',
  {
    ...eachStatus(
      'the client withdraws what is not agreed',
      { reason: 'not needed' },
      {
        initial: declined,
        pending: declined,
      },
    ),
    'a withdrawal says who and why': {
      given: (t) => amendmentIn(t, 'initial'),
      input: { reason: 'not needed' },
      body: { decline_reason: 'not needed', declined_by: { kind: 'token' } },
      emits: declined.emits,
      audit: ({ amendment_id }) => ({ subject_id: amendment_id, changed_fields: ['reason'] }),
    },
  },
  { sandbox: true },
)

cases(
  'worker.decline_amendment',
  {
    ...eachStatus('the worker declines what the client signed', { reason: 'too low' }, { pending: declined }),
    'a refusal says who and why': {
      given: (t) => amendmentIn(t, 'pending'),
      input: { reason: 'too low' },
      body: ({ contract }) => ({ decline_reason: 'too low', declined_by: { kind: 'worker', id: contract.worker_id } }),
      emits: declined.emits,
    },
    'in a live organization a minted worker token declines nothing': {
      sandbox: false,
      given: async (t) => {
        const made = await amendmentIn(t, 'initial')
        await amendmentsOf(t, t.organization).signForClient(made.amendment)
        return made
      },
      answers: '403 own_login_required',
    },
  },
  { sandbox: true },
)
