import assert from 'node:assert/strict'
import { writeGrant } from '#authorization/grant.store.ts'
import type { Role } from '#core/caller.ts'
import { newId } from '#core/values.ts'
import { raw, sql } from '#db/database.ts'
import { grantMembership, insertUser } from '#identity/account.store.ts'
import { organizationScopes, sensitiveCategories, workerScopes } from '#identity/scopes.ts'
import { issueToken } from '#identity/token.store.ts'
import type { TestOrganization, TestService } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
export type Body = any

let made = 0

/** A contract body that is accepted as it stands: a fixed rate of 4200.00 EUR a month, for a new worker, from today. */
export function contractBody(
  { clock }: Pick<TestService, 'clock'>,
  overrides: Record<string, unknown> = {},
): Record<string, unknown> {
  made += 1
  return {
    type: 'fixed_rate',
    title: 'Platform engineering',
    ...(!('worker_id' in overrides) && {
      worker: { first_name: 'Jonas', last_name: 'Weber', email: `worker-${made}@harbour.example`, country: 'DE' },
    }),
    start_date: new Date(clock.now()).toISOString().slice(0, 10),
    compensation: { amount: '4200.00', currency: 'EUR', frequency: 'monthly' },
    ...overrides,
  }
}

/** A pending contract, made through the API; `overrides` replace fields of the body. */
export async function createContract(
  service: TestService,
  overrides: Record<string, unknown> = {},
  { token }: Partial<TestOrganization> = {},
): Promise<Body> {
  const { status, body } = await service.call('POST', '/contracts', {
    body: contractBody(service, overrides),
    ...(token !== undefined && { token }),
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

/** A person, made through the API; its id fills a path and names a worker. */
export async function createPerson(
  service: TestService,
  overrides: Record<string, unknown> = {},
  { token }: Partial<TestOrganization> = {},
): Promise<Body> {
  made += 1
  const email = `person-${made}@harbour.example`
  const { status, body } = await service.call('POST', '/people', {
    body: { first_name: 'Ada', last_name: 'Lindqvist', email, ...overrides },
    ...(token !== undefined && { token }),
  })
  assert.equal(status, 201, JSON.stringify(body))
  return { ...body, person_id: body.id, worker_id: body.id }
}

/** A credential of the worker's own login, under a grant of its own: it may sign, also in a live organization. */
export async function workerLogin(
  service: TestService,
  person_id: string,
  organization_id = service.organization.id,
  resource: 'rest' | 'mcp' = 'rest',
) {
  const { database, clock } = service
  const rights = { organization_id, person_id, scopes: [...workerScopes], sensitive_data: [...sensitiveCategories] }
  const grant_id = newId(clock.now())
  const client_id = `cli_${grant_id.replaceAll('-', '').slice(-22)}`
  await database.database.transaction({ role: 'lookup' }, (tx) =>
    tx.run(sql`
      insert into oauth_clients (client_id, kind, name, redirect_uris, grant_types, auth_methods, created_at, updated_at)
      values (${client_id}, 'dynamic', 'test', '{}', '{authorization_code}', '{none}', app_now(), app_now())`),
  )
  return database.database.transaction({ role: 'app', organization_id }, async (tx) => {
    const client = { client_id, client_name: 'test', redirect_host: null, resource }
    await writeGrant(tx, { ...rights, ...client, id: grant_id, user_id: null, ends_at: null })
    const { token } = await issueToken(tx, {
      ...rights,
      id: newId(clock.now()),
      kind: 'oauth',
      name: 'test',
      is_sandbox: false,
      created_by: { kind: 'system', id: null, name: 'test' },
      expires_at: null,
      oauth: { client_id, grant_id, resource },
    })
    return token
  })
}

/** A worker token as the client mints it, through the API. */
export async function workerToken(
  service: TestService,
  person_id: string,
  { token }: Partial<TestOrganization> = {},
): Promise<string> {
  const { status, body } = await service.call('POST', `/people/${person_id}/worker-tokens`, {
    body: {},
    ...(token !== undefined && { token }),
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body.token
}

/** A contract that both parties have signed through the API, the client first. */
export async function activeContract(
  service: TestService,
  overrides: Record<string, unknown> = {},
  organization: TestOrganization = service.organization,
): Promise<Body> {
  const { id, worker_id } = await createContract(service, overrides, organization)
  const worker = await workerLogin(service, worker_id, organization.id)
  await signed(service, `/contracts/${id}/sign`, organization.token)
  return signed(service, `/worker/contracts/${id}/sign`, worker)
}

async function signed(service: TestService, path: string, token: string): Promise<Body> {
  const { status, body } = await service.call('POST', path, {
    token,
    body: { signer_name: 'Someone Named', terms_version: 1 },
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** A team or legal entity as a row; the operations that make them come with the structure of the organization. */
export async function insertNamed(
  { database, clock, organization }: TestService,
  table: 'teams' | 'legal_entities',
  name: string,
  organization_id = organization.id,
): Promise<string> {
  const id = newId(clock.now())
  const at = new Date(clock.now()).toISOString()
  const own = table === 'teams' ? sql`` : sql`, kind, is_default, country`
  const values = table === 'teams' ? sql`` : sql`, 'company', false, 'US'`
  await database.database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.run(sql`
      insert into ${raw(table)} (organization_id, id, name, created_at, updated_at ${own})
      values (${organization_id}, ${id}, ${name}, ${at}, ${at} ${values})`),
  )
  return id
}

/** Columns of a person, written as rows where no operation of the test's own subject does. */
export async function setPerson(
  { database, organization: { id: organization_id } }: TestService,
  id: string,
  columns: object,
) {
  await database.database.transaction({ role: 'app', organization_id }, async (tx) => {
    for (const [column, value] of Object.entries(columns)) {
      const own = sql`organization_id = ${organization_id} and id = ${id}`
      await tx.run(sql`update people set ${raw(column)} = ${value} where ${own}`)
    }
  })
}

/** A personal token of a member with this role, with every scope and category that the role allows. */
export async function memberToken(t: TestService, role: Role, organization_id = t.organization.id): Promise<string> {
  return (await addMember(t, role, organization_id)).token
}

/** A member with this role and such a token; without a role an account that is no member. */
export async function addMember(
  { database, clock, organization }: TestService,
  role: Role | null,
  organization_id = organization.id,
): Promise<{ member_id: string; token: string }> {
  const user_id = newId(clock.now())
  return database.database.transaction({ role: 'owner', organization_id }, async (tx) => {
    await insertUser(tx, {
      id: user_id,
      email: `${user_id}@harbour.example`,
      name: role ?? 'nobody',
      password_hash: null,
    })
    if (role) await grantMembership(tx, organization_id, user_id, role)
    const { token } = await issueToken(tx, {
      id: newId(clock.now()),
      organization_id,
      kind: 'personal',
      user_id,
      name: 'test',
      is_sandbox: false,
      scopes: [...organizationScopes],
      sensitive_data: [...sensitiveCategories],
      created_by: { kind: 'system', id: null, name: 'test' },
      expires_at: null,
    })
    return { member_id: user_id, token }
  })
}

/** Makes an account that of a person, as the acceptance of an invitation does. */
export async function linkAccount(
  { database, organization }: TestService,
  person_id: string,
  user_id: string,
  organization_id = organization.id,
): Promise<void> {
  await database.database.transaction({ role: 'owner', organization_id }, (tx) =>
    tx.run(sql`
      update people set user_id = ${user_id}, access = 'enabled'
      where organization_id = ${organization_id} and id = ${person_id}`),
  )
}
