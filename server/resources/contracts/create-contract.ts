import { type Context, defineOperation } from '#core/operation.ts'
import { amountPrecision, dateOutOfRange, missingValue, referenceNotFound, validationFailed } from '#core/problems.ts'
import { Closed, Country, Email, type Static, Text, Type } from '#core/schema/schema.ts'
import { checkCustomFields } from '#resources/custom-fields/index.ts'
import {
  insertWorker,
  lockWorker,
  person,
  personCreated,
  personUpdated,
  statusEntry,
  type Worker,
  writeStatus,
} from '#resources/people/index.ts'
import { team as teams } from '#resources/teams/index.ts'
import { derivedPersonStatus, holdLegalEntity } from './contract.store.ts'
import { contract } from './contract.ts'
import { contractCreated } from './events.ts'
import { invalidTerms, problemOf } from './problems.ts'
import { completeTerms, requireStartDate } from './terms.ts'

const NewContractInput = Closed({
  ...contract.create,
  worker: Type.Optional(
    Closed(
      {
        first_name: Text(1, 100, { description: 'First name.' }),
        last_name: Text(1, 100, { description: 'Last name.' }),
        email: Email,
        country: Country,
        region: contract.create.region,
        external_id: contract.create.external_id,
      },
      { description: 'Instead of worker_id: the person with this e-mail, made if there is none.' },
    ),
  ),
})
type NewContract = Static<typeof NewContractInput>

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
  output: contract.answer,
  status: 201,
  problems: [
    invalidTerms,
    amountPrecision,
    missingValue,
    dateOutOfRange,
    referenceNotFound,
    ...contract.duplicates.create,
  ],
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
    const { caller, tx, now, emit, newId } = context
    const { organization_id } = caller
    const given = contract.given(input)
    const terms = completeTerms(given, given)
    if (Array.isArray(terms)) throw problemOf(terms)
    const { custom_fields } = input
    const [{ legal_entity, team, worker, is_new }, custom] = await Promise.all([
      findParties(input, context),
      custom_fields && checkCustomFields(tx, organization_id, 'contract', custom_fields),
    ])
    const { shown_custom_fields } = legal_entity
    const row = contract.newRow(tx, {
      ...given,
      ...terms,
      ...(custom ?? { shown_custom_fields }),
      organization_id,
      id: newId(),
      created_by: caller.actor,
      worker_id: worker.id,
      worker_email: worker.email,
      worker_name: worker.full_name,
      legal_entity_id: legal_entity.id,
      legal_entity_name: legal_entity.name,
      team_name: team?.name ?? null,
      country: countryOf(input, worker),
      timezone: input.timezone ?? legal_entity.timezone,
      last_day: terms.end_date,
    })
    requireStartDate(row.start_date, now, row.timezone)
    // Only a person without a pending contract can have another status now; a new one was stored with the right one.
    const keeps_status = is_new || worker.status === 'pending' || worker.status === 'offboarding'
    const [, moved] = await Promise.all([
      contract.insert(tx, row),
      keeps_status
        ? null
        : writeStatus(tx, organization_id, worker.id, derivedPersonStatus(organization_id, worker.id)),
    ])
    if (is_new) emit(personCreated, person.entryOf(worker))
    emit(contractCreated, contract.entryOf(row))
    if (moved) emit(personUpdated, statusEntry(moved))
    return contract.show(row)
  },
})

function refuseAmbiguousWorker({ worker_id, worker }: NewContract): void {
  if ((worker_id === undefined) !== (worker === undefined)) return
  const message = 'is required, or worker instead; never both'
  throw validationFailed(undefined, { errors: [{ pointer: '/worker_id', message }] })
}

function countryOf({ country, worker: described }: NewContract, worker: Worker): string {
  const found = country ?? worker.country ?? described?.country
  if (found !== undefined) return found
  const message = 'is required, because the person has no country to take it from'
  throw missingValue(undefined, { errors: [{ pointer: '/country', message }] })
}

/** Everything a new contract refers to, read in one round trip and held until the transaction ends. */
async function findParties(input: NewContract, { tx, caller, newId }: Pick<Context, 'caller' | 'tx' | 'newId'>) {
  const { organization_id } = caller
  const { type, worker_id, worker: described, legal_entity_id, team_id } = input
  const by = worker_id === undefined ? { email: described?.email ?? '' } : { id: worker_id }
  const [legal_entity, team, known] = await Promise.all([
    holdLegalEntity(tx, organization_id, legal_entity_id),
    team_id ? teams.hold(tx, { organization_id, id: team_id }, '/team_id') : null,
    lockWorker(tx, organization_id, by),
  ])
  if (!legal_entity) throw missing('/legal_entity_id')
  // The person's status is the one it will have with this contract.
  const begun = { id: newId(), worker_type: type === 'employee' ? type : 'contractor', status: 'pending' } as const
  const made = !known && described ? await insertWorker(tx, organization_id, { ...described, ...begun }) : undefined
  // Not stored after all: a person with this e-mail came into being since the look above.
  const worker = known ?? made ?? (described && (await lockWorker(tx, organization_id, by)))
  if (!worker) throw missing('/worker_id')
  const { email } = worker
  if (email === null) {
    const message = 'names a person without an e-mail address, which a contract needs'
    throw missingValue(undefined, { errors: [{ pointer: '/worker_id', message }] })
  }
  return { legal_entity, team, worker: { ...worker, email }, is_new: made !== undefined }
}

const missing = (pointer: string) => referenceNotFound(undefined, { errors: [{ pointer, message: 'does not exist' }] })
