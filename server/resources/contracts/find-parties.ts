import type { Context } from '#core/operation.ts'
import { missingValue, referenceNotFound } from '#core/problems.ts'
import { holdLegalEntity, type LegalEntityRef } from '#resources/legal-entities/index.ts'
import { findOrganization, type OrganizationRow } from '#resources/organizations/index.ts'
import { insertWorker, lockWorker, type Worker } from '#resources/people/index.ts'
import { holdTeam, type TeamRef } from '#resources/teams/index.ts'
import type { NewContract } from './contract-schema.ts'

export interface Parties {
  organization: OrganizationRow
  legal_entity: LegalEntityRef
  team: TeamRef | null
  worker: Worker & { email: string }
  worker_is_new: boolean
}

type Needs = Pick<Context, 'caller' | 'tx' | 'newId'>

/** Everything a new contract refers to, read in one round trip and held until the transaction ends. */
export async function findParties(input: NewContract, context: Needs): Promise<Parties> {
  const { tx, caller } = context
  const { organization_id } = caller
  const { worker_id, worker: described, legal_entity_id = null, team_id = null } = input
  const by = worker_id === undefined ? { email: described?.email ?? '' } : { id: worker_id }
  const [organization, legal_entity, team, known] = await Promise.all([
    findOrganization(tx, organization_id),
    holdLegalEntity(tx, organization_id, legal_entity_id),
    team_id === null ? null : holdTeam(tx, organization_id, team_id),
    lockWorker(tx, organization_id, by),
  ])
  if (!organization) throw new Error('the organization of the caller does not exist')
  if (!legal_entity) throw missing('/legal_entity_id')
  if (team === undefined) throw missing('/team_id')
  const made = known ? undefined : await makeWorker(input, context)
  // Not stored after all: a person with this e-mail came into being since the look above.
  const worker = known ?? made ?? (described && (await lockWorker(tx, organization_id, by)))
  if (!worker) throw missing('/worker_id')
  return { organization, legal_entity, team, worker: withEmail(worker), worker_is_new: worker === made }
}

/** Stores the described person. Its status is the one it will have with this contract. */
async function makeWorker({ type, worker }: NewContract, { tx, caller, newId }: Needs): Promise<Worker | undefined> {
  if (!worker) return undefined
  const { organization_id } = caller
  const person = {
    region: null,
    external_id: null,
    ...worker,
    id: newId(),
    worker_type: type === 'employee' ? ('employee' as const) : ('contractor' as const),
    status: 'pending' as const,
  }
  return insertWorker(tx, organization_id, person)
}

function withEmail(worker: Worker): Parties['worker'] {
  const { email } = worker
  if (email === null) {
    const message = 'names a person without an e-mail address, which a contract needs'
    throw missingValue(undefined, { errors: [{ pointer: '/worker_id', message }] })
  }
  return { ...worker, email }
}

function missing(pointer: string) {
  return referenceNotFound(undefined, { errors: [{ pointer, message: 'does not exist' }] })
}
