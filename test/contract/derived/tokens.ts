import type { Scope, SensitiveCategory } from '#core/caller.ts'
import type { Operation } from '#core/operation.ts'
import { newId } from '#core/values.ts'
import { sensitiveCategories, workerScopes } from '#identity/scopes.ts'
import { issueToken } from '#identity/token.store.ts'
import { createContract, memberToken, workerLogin } from '#test/factories.ts'
import type { TestOrganization, TestService } from '#test/service.ts'
import { everyOperation, isWorkers } from './every-operation.ts'

export interface IssuedToken {
  id: string
  token: string
}

/** A credential straight from the identity room: a worker's with a person, a user's with a user, else the organization's. */
export function issue(
  service: TestService,
  organization_id: string,
  wished: {
    scopes: readonly Scope[]
    sensitive_data?: readonly SensitiveCategory[]
    person_id?: string
    user_id?: string
  },
): Promise<IssuedToken> {
  const { scopes, sensitive_data = sensitiveCategories, person_id, user_id } = wished
  return service.database.database.transaction({ role: 'app', organization_id }, async (tx) => {
    const { row, token } = await issueToken(tx, {
      id: newId(service.clock.now()),
      organization_id,
      kind: person_id ? 'worker' : user_id ? 'personal' : 'organization',
      name: 'test',
      is_sandbox: false,
      scopes: [...scopes],
      sensitive_data: [...sensitive_data],
      created_by: { kind: 'system', id: null, name: 'test' },
      expires_at: null,
      ...(person_id && { person_id }),
      ...(user_id && { user_id }),
    })
    return { id: row.id, token }
  })
}

/** A token of the service's organization that holds these scopes; of its worker when they are a worker's. */
export async function tokenWith(service: TestService, scopes: readonly Scope[]): Promise<string> {
  const { organization } = service
  const isWorker = scopes.length > 0 && scopes.every((scope) => workerScopes.includes(scope))
  const person = isWorker ? { person_id: (await workerOf(service, organization)).person_id } : {}
  return (await issue(service, organization.id, { scopes, ...person })).token
}

export interface Worker {
  person_id: string
  token: string
}

const workers = new Map<string, Promise<Worker>>()

/**
 * The one worker of an organization that acts in derived tests, with a contract and a credential of its own; another one
 * where a reset has dropped it.
 */
export async function workerOf(service: TestService, organization: TestOrganization): Promise<Worker> {
  const known = await workers.get(organization.id)
  if (known && (await service.call('GET', '/worker/contracts', { token: known.token })).status !== 401) return known
  const made = makeWorker(service, organization)
  workers.set(organization.id, made)
  return made
}

async function makeWorker(service: TestService, organization: TestOrganization): Promise<Worker> {
  await userOf(service, organization)
  const { worker_id: person_id } = await createContract(service, {}, organization)
  return { person_id, token: await workerLogin(service, person_id, organization.id) }
}

/** The credential that may call an operation: of the organization, of one of its users, or of its worker. */
export async function tokenFor(
  service: TestService,
  organization: TestOrganization,
  operation: Operation,
): Promise<string> {
  if (of_users.has(operation.id)) return userOf(service, organization)
  return isWorkers(operation) ? (await workerOf(service, organization)).token : organization.token
}

/** Operations that a person has to call. */
export const of_users: ReadonlySet<string> = new Set([
  'payments.approve',
  ...everyOperation.filter(({ only_users }) => only_users).map(({ id }) => id),
])

const users = new Map<string, Promise<string>>()

/** The token of each organization's user. It is made together with the worker, before a test looks whether rows change. */
function userOf(service: TestService, { id }: TestOrganization): Promise<string> {
  const token = users.get(id) ?? memberToken(service, 'owner', id)
  users.set(id, token)
  return token
}
