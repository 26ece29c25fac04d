import { cases } from '#test/cases.ts'
import type { TestService } from '#test/service.ts'
import { makePolicy, requestTimeOff } from '#test/time-off.ts'

const made = async (t: TestService, body: object = {}) => {
  const policy = await makePolicy(t, body)
  return { ...policy, time_off_policy_id: policy.id }
}

cases('time_off_policies.create', {
  'a policy is stored': {
    input: { name: 'Vacation', leave_type: 'vacation', annual_allowance_days: '27.50' },
    body: {
      name: 'Vacation',
      leave_type: 'vacation',
      counting: 'working_days',
      annual_allowance_days: '27.5',
      is_paid: true,
      requires_approval: true,
      allow_negative: false,
      deleted_at: null,
    },
    emits: [['time-off-policy.created', { name: 'Vacation', leave_type: 'vacation', is_paid: true }]],
    audit: { subject_kind: 'time_off_policies' },
  },
  ...Object.fromEntries(
    ['366.5', '367', '-1', '1.25', '30,5', '027'].map((annual_allowance_days) => [
      `an allowance of "${annual_allowance_days}" is refused`,
      {
        input: { name: 'Vacation', leave_type: 'vacation', annual_allowance_days },
        answers: '400 validation_failed',
        errors: ['/annual_allowance_days'],
      },
    ]),
  ),
})

cases('time_off_policies.list', {
  'policies are found by their kind of leave': {
    given: async (t) => {
      await made(t)
      return made(t, { name: 'Sick leave', leave_type: 'sick' })
    },
    input: { leave_types: ['sick', 'family'] },
    body: ({ id }) => ({ data: [{ id }], total_count: 1 }),
  },
})

cases('time_off_policies.get', {
  'a policy is read': { as: 'viewer', given: (t) => made(t), body: ({ id, name }) => ({ id, name }) },
})

cases('time_off_policies.update', {
  'a policy is changed': {
    given: (t) => made(t),
    input: { annual_allowance_days: null, allow_negative: true },
    body: { annual_allowance_days: null, allow_negative: true },
    emits: ['time-off-policy.updated'],
    audit: { changed_fields: ['annual_allowance_days', 'allow_negative'] },
  },
  'the same number in other words changes nothing': {
    given: (t) => made(t),
    input: { annual_allowance_days: '30.0' },
    audit: null,
  },
})

cases('time_off_policies.delete', {
  'a policy goes, and its name is free': {
    given: (t) => made(t, { name: 'Once' }),
    emits: ['time-off-policy.deleted'],
    afterwards: async (t) => {
      await made(t, { name: 'Once' })
    },
  },
  'whether anybody is away under it is told only to those who may see that': {
    as: 'client without sensitive data',
    given: (t) => made(t),
    answers: '403 sensitive_data_required',
  },
  'a requested time off keeps its policy': {
    given: async (t) => {
      const { policy_id } = await requestTimeOff(t)
      return { time_off_policy_id: policy_id }
    },
    answers: '409 has_dependents',
  },
  'what was rejected does not': {
    given: async (t) => {
      const { id, policy_id } = await requestTimeOff(t)
      await t.call('POST', `/time-offs/${id}/review`, { body: { status: 'rejected' } })
      return { time_off_policy_id: policy_id }
    },
    emits: ['time-off-policy.deleted'],
  },
})
