import { type Context, defineOperation } from '#core/operation.ts'
import {
  amountPrecision,
  dateOutOfRange,
  externalIdInUse,
  missingValue,
  referenceNotFound,
  validationFailed,
} from '#core/problems.ts'
import { type Currency, isCurrency, trimDecimal } from '#core/values/money.ts'
import { personCreated, personEntry, personUpdated, writeStatus } from '#resources/people/index.ts'
import { derivedPersonStatus, insertContract } from './contract.store.ts'
import { type ContractRow, unsigned } from './contract.ts'
import { Contract, contractOf, type NewContract, NewContractInput } from './contract-schema.ts'
import { contractCreated, contractEntry } from './events.ts'
import { findParties, type Parties } from './find-parties.ts'
import { startDateRefusals, today } from './lifecycle.ts'
import { invalidTerms, termsProblem } from './problems.ts'
import { type ContractTerms, completeTerms } from './terms.ts'
import { termsIn } from './terms-fields.ts'

export const createContract = defineOperation({
  id: 'contracts.create',
  summary: 'Create a contract',
  description:
    'The contract is pending and binds nobody until both parties have signed. The worker is named by `worker_id` or described in `worker`; a described worker whose e-mail is known is that person, unchanged.',
  method: 'POST',
  path: '/contracts',
  scopes: ['contracts:write'],
  roles: ['owner', 'admin'],
  input: NewContractInput,
  output: Contract,
  status: 201,
  problems: [invalidTerms, amountPrecision, missingValue, dateOutOfRange, referenceNotFound, externalIdInUse],
  emits: [personCreated, contractCreated, personUpdated],
  tool: {
    name: 'create_contract',
    text: 'Draft a contract; it binds nobody until both parties sign: sign_contract, invite_worker. Give worker_id, or worker for somebody new. compensation.amount is required except for milestone, compensation.frequency except for employee; those take none. Other terms have defaults.',
    example: {
      type: 'fixed_rate',
      title: 'Backend developer',
      worker: { first_name: 'Ana', last_name: 'Silva', email: 'ana@example.com', country: 'PT' },
      start_date: '2027-01-04',
      compensation: { amount: '4200.00', currency: 'EUR', frequency: 'monthly' },
    },
  },

  async handle(input, context) {
    refuseAmbiguousWorker(input)
    const agreed = termsOf(input)
    const parties = await findParties(input, context)
    const row = rowOf(input, agreed, parties, context)
    const refusals = startDateRefusals(row.start_date, today(context.now, row.timezone))
    if (refusals.length > 0) throw termsProblem(refusals)
    const [, changed] = await Promise.all([insertContract(context.tx, row), updateStatus(parties, context)])
    if (parties.worker_is_new) context.emit(personCreated, personEntry(parties.worker))
    context.emit(contractCreated, contractEntry(row))
    if (changed) context.emit(personUpdated, { ...personEntry(changed), changed_fields: ['status'] })
    return contractOf(row)
  },
})

function refuseAmbiguousWorker({ worker_id, worker }: NewContract): void {
  if ((worker_id === undefined) !== (worker === undefined)) return
  const message = 'is required, or worker instead; never both'
  throw validationFailed(undefined, { errors: [{ pointer: '/worker_id', message }] })
}

function termsOf(input: NewContract): ContractTerms & { currency: Currency } {
  const { type, start_date } = input
  const { currency } = input.compensation
  // The schema has checked it; this tells the compiler.
  if (!isCurrency(currency)) throw new TypeError(`${currency} is no currency`)
  const terms = completeTerms(type, currency, { ...termsIn(input), start_date })
  if (Array.isArray(terms)) throw termsProblem(terms)
  return { ...terms, currency }
}

function rowOf(
  input: NewContract,
  agreed: ContractTerms & { currency: Currency },
  { organization, worker, legal_entity, team }: Parties,
  { caller, tx, newId }: Pick<Context, 'caller' | 'tx' | 'newId'>,
): ContractRow {
  const country = input.country ?? worker.country ?? input.worker?.country
  if (country === undefined) {
    const message = 'is required, because the person has no country to take it from'
    throw missingValue(undefined, { errors: [{ pointer: '/country', message }] })
  }
  const { vat_rate = null, reverse_charge = false } = input.tax ?? {}
  return {
    ...unsigned,
    ...agreed,
    organization_id: organization.id,
    id: newId(),
    type: input.type,
    title: input.title,
    external_id: input.external_id ?? null,
    created_by: caller.actor,
    worker_id: worker.id,
    worker_email: worker.email,
    worker_name: worker.full_name,
    legal_entity_id: legal_entity.id,
    legal_entity_name: legal_entity.name,
    team_id: team?.id ?? null,
    team_name: team?.name ?? null,
    country,
    region: input.region ?? null,
    timezone: input.timezone ?? organization.timezone,
    vat_rate: vat_rate === null ? null : trimDecimal(vat_rate),
    reverse_charge,
    last_day: agreed.end_date,
    created_at: tx.now,
    updated_at: tx.now,
  }
}

/** Only a person without a pending contract can have another status now; a new one was stored with the right one. */
async function updateStatus({ worker, worker_is_new }: Parties, { caller, tx }: Pick<Context, 'caller' | 'tx'>) {
  if (worker_is_new || worker.status === 'pending' || worker.status === 'offboarding') return undefined
  const { organization_id } = caller
  return writeStatus(tx, organization_id, worker.id, derivedPersonStatus(organization_id, worker.id))
}
