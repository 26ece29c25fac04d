import { amendmentIn } from '#test/amendments.ts'
import { type Case, cases } from '#test/cases.ts'

const shown: Case = {
  given: (t) => amendmentIn(t, 'pending'),
  body: ({ amendment_id }) => ({ id: amendment_id, status: 'pending', amount: '4500.00' }),
}
const withheld: Case = {
  as: 'client without compensation',
  given: (t) => amendmentIn(t, 'pending'),
  body: { amount: null, terms: { amount: null } },
  headers: { 'sensitive-data-withheld': 'compensation' },
}

cases('amendments.get', { 'an amendment is shown': shown, 'its amounts are withheld': withheld }, { sandbox: true })
cases(
  'worker.get_amendment',
  {
    'the worker sees what the client signed': shown,
    'a draft is not there for the worker': { given: (t) => amendmentIn(t, 'initial'), answers: '404 not_found' },
  },
  { sandbox: true },
)
