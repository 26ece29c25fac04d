import { amendmentIn, amendmentsOf, eachStatus, raise } from '#test/amendments.ts'
import { type Case, cases } from '#test/cases.ts'
import { type ContractState, contractIn, contractStates } from '#test/contract-states.ts'
import type { TestService } from '#test/service.ts'

const milestone = { type: 'milestone', compensation: { currency: 'EUR', frequency: 'monthly' } }
const employee = { type: 'employee', compensation: { currency: 'EUR', amount: '6500.00' } }

/** Terms that are refused to a draft as to its change: the contract they are for, the input, the refusal and its place. */
const refusals: Record<
  string,
  [of: object, input: Record<string, unknown>, answers: NonNullable<Case['answers']>, at: string]
> = {
  'with empty terms': [{}, { terms: {} }, '400 validation_failed', '/terms'],
  'X2: of a currency, which cannot be amended': [
    {},
    { terms: { currency: 'USD' } },
    '400 validation_failed',
    '/terms/currency',
  ],
  'of the start': [{}, { terms: { start_date: '2026-07-01' } }, '400 validation_failed', '/terms/start_date'],
  'with money as a number': [{}, { terms: { amount: 4500 } }, '400 validation_failed', '/terms/amount'],
  'of nothing, not even of an amount of zero': [
    {},
    { terms: { amount: '0.00' } },
    '400 validation_failed',
    '/terms/amount',
  ],
  'with an unknown field': [{}, { ...raise, signer_name: 'Nora' }, '400 validation_failed', '/signer_name'],
  'with too long a reason': [{}, { ...raise, reason: 'x'.repeat(2_001) }, '400 validation_failed', '/reason'],
  'with too many decimals': [{}, { terms: { amount: '4500.001' } }, '422 amount_precision', '/terms/amount'],
  'with trailing zeros beyond the currency': [
    { compensation: { amount: '480000', currency: 'JPY', frequency: 'monthly' } },
    { terms: { amount: '490000.0' } },
    '422 amount_precision',
    '/terms/amount',
  ],
  'that fit another type of contract': [
    milestone,
    { terms: { amount: '100.00' } },
    '422 invalid_terms',
    '/terms/amount',
  ],
  'of cycles on an employee contract': [
    employee,
    { terms: { frequency: 'monthly' } },
    '422 invalid_terms',
    '/terms/frequency',
  ],
  'with a scale that is not the frequency': [{}, { terms: { scale: 'hourly' } }, '422 invalid_terms', '/terms/scale'],
  'that are in force already': [
    { job_title: 'Engineer' },
    { terms: { job_title: 'Engineer' } },
    '422 nothing_to_change',
    '/terms',
  ],
  'from a closed cycle': [
    { start_date: '2026-01-15' },
    { ...raise, effective_date: '2026-05-31' },
    '422 date_out_of_range',
    '/effective_date',
  ],
  'from more than 731 days ahead': [
    {},
    { ...raise, effective_date: '2028-06-16' },
    '422 date_out_of_range',
    '/effective_date',
  ],
  'from after the end of the contract': [
    { end_date: '2026-09-30' },
    { ...raise, effective_date: '2026-10-01' },
    '422 date_out_of_range',
    '/effective_date',
  ],
  'that end the contract in the past': [
    {},
    { terms: { end_date: '2026-06-14' } },
    '422 date_out_of_range',
    '/terms/end_date',
  ],
  'of cycles from the middle of one': [
    {},
    { terms: { frequency: 'weekly' }, effective_date: '2026-07-10' },
    '422 effective_date_not_cycle_start',
    '/effective_date',
  ],
}

async function contractOf(t: TestService, of: object) {
  const contract = await amendmentsOf(t, t.organization).activeContract({ ...of })
  return { contract, contract_id: contract.id }
}

async function draftOf(t: TestService, of: object) {
  const at = amendmentsOf(t, t.organization)
  const { contract, contract_id } = await contractOf(t, of)
  const amendment = await at.draft(contract, { terms: { seniority: 'Senior' } })
  return { contract, contract_id, amendment, amendment_id: amendment.id }
}

const refused = (given: typeof contractOf): Record<string, Case> =>
  Object.fromEntries(
    Object.entries(refusals).map(([name, [of, input, answers, at]]) => [
      `terms ${name} are refused`,
      { given: (t) => given(t, of), input, answers, errors: [at] } satisfies Case,
    ]),
  )

/** A contract for which an amendment is approved from this day on. */
async function approvedFor(t: TestService, effective_date: string) {
  const at = amendmentsOf(t, t.organization)
  const made = await contractOf(t, {})
  await at.agreed(made.contract, { ...raise, effective_date })
  return { at, ...made }
}

/** Only an active contract is amended, one that will end too. */
const amendedIn = (state: ContractState): Case => ({
  given: (t) => contractIn(t, state),
  input: raise,
  ...(state === 'active' || state === 'terminating'
    ? { body: { status: 'initial' }, emits: ['contract.amendment.created'] }
    : { answers: '409 invalid_state' }),
})

cases(
  'amendments.create',
  {
    'a draft is made and told': {
      given: (t) => contractOf(t, {}),
      input: raise,
      body: { status: 'initial', sign_status: 'pending', amount: '4500.00' },
      emits: ({ contract_id }, { id }) => [['contract.amendment.created', { contract_id, amendment_id: id }]],
      audit: (_, { id }) => ({ subject_kind: 'amendments', subject_id: id }),
    },
    'without terms nothing is drafted': {
      given: (t) => contractOf(t, {}),
      input: {},
      answers: '400 validation_failed',
      errors: ['/terms'],
    },
    ...refused(contractOf),
    ...Object.fromEntries(contractStates.map((state) => [`a contract that is ${state}`, amendedIn(state)])),
    'a contract has one draft at a time': {
      given: (t) => amendmentIn(t, 'initial'),
      input: { terms: { job_title: 'Lead' } },
      answers: '409 open_amendment_exists',
    },
    'a contract has one open amendment at a time': {
      given: (t) => amendmentIn(t, 'pending'),
      input: { terms: { job_title: 'Lead' } },
      answers: '409 open_amendment_exists',
    },
    'the date of an approved amendment is taken': {
      given: async (t) => ({ contract_id: (await approvedFor(t, '2026-07-01')).contract_id }),
      input: { terms: { job_title: 'Lead' }, effective_date: '2026-07-01' },
      answers: '409 effective_date_taken',
    },
    'who may not see the pay cannot change it': {
      as: 'client without compensation',
      given: (t) => contractOf(t, {}),
      input: raise,
      answers: '403 sensitive_data_required',
    },
  },
  { sandbox: true },
)

cases(
  'amendments.update',
  {
    ...eachStatus(
      'a draft is changed',
      { reason: 'because' },
      {
        initial: {
          body: { status: 'initial', sign_status: 'pending', reason: 'because' },
          emits: ['contract.amendment.updated'],
        },
      },
    ),
    ...refused(draftOf),
    'terms are replaced as a whole, and what is not named stays': {
      given: (t) => draftOf(t, {}),
      input: { terms: { amount: '4500.00' } },
      body: { terms: { amount: '4500.00' }, changes: [{ field: 'amount', from: '4200.00', to: '4500.00' }] },
      emits: ({ amendment_id }) => [['contract.amendment.updated', { amendment_id }]],
      audit: ({ amendment_id }) => ({ subject_id: amendment_id, changed_fields: ['terms'] }),
    },
    'the date of an approved amendment is taken': {
      given: async (t) => {
        const { at, contract, contract_id } = await approvedFor(t, '2026-07-01')
        const { id } = await at.draft(contract, { terms: { job_title: 'Lead' } })
        return { contract_id, amendment_id: id }
      },
      input: { effective_date: '2026-07-01' },
      answers: '409 effective_date_taken',
    },
    'who may not see the pay cannot change it': {
      as: 'client without compensation',
      given: (t) => draftOf(t, {}),
      input: raise,
      answers: '403 sensitive_data_required',
    },
  },
  { sandbox: true },
)
