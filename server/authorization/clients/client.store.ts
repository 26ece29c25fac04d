import { createHash } from 'node:crypto'
import type { Actor } from '#core/caller.ts'
import type { RevealedSecret } from '#core/operation.ts'
import { type Database, insertInto, raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { atRest, digestOf, newToken, tokenKindOf } from '#identity/token-format.ts'
import { type Client, type ClientMetadata, secretMethods } from './client.ts'
import type { VerifiedAssertion } from './client-assertion.ts'

/** Every column of a client as the program knows it, but for its last use: that tells of everybody who uses it. */
export const clientColumns = sql`c.client_id, c.kind, c.owner_organization_id as organization_id, c.name, c.description,
  c.client_uri, c.logo_uri, c.application_type, c.redirect_uris, c.grant_types, c.auth_methods, c.scopes,
  c.sensitive_data, c.resources, c.jwks, c.jwks_uri, c.parent_token_id, c.parent_grant_id, c.expires_at, c.created_by,
  c.created_at, c.updated_at`

/** A client before any organization is known, by its exact id. Documents are found whether fresh or not. */
export function lookUpClient(
  database: Database,
  client_id: string,
): Promise<(Client & { document_fresh: boolean; document_usable: boolean; now: string }) | undefined> {
  return database.row(sql`
    select ${clientColumns}, c.last_used_at, c.organization_name, c.is_sandbox, app_now()::timestamptz(3) as now,
           coalesce(c.document_fresh_until > app_now(), false) as document_fresh,
           coalesce(c.document_fresh_until > app_now() - interval '24 hours', false) as document_usable
    from known_oauth_clients c where c.client_id = ${client_id}`)
}

type NewClient = Partial<Omit<Client, 'organization_id' | 'organization_name' | 'is_sandbox'> & ClientMetadata> &
  Pick<Client, 'client_id' | 'kind' | 'name'> & {
    owner_organization_id?: string
    created_by?: Actor
    document_fresh_until?: Sql
  }

const insertionOf = (client: NewClient) =>
  insertInto('oauth_clients', { ...client, created_at: sql`app_now()`, updated_at: sql`app_now()` })

/** Writes a new client; answers its secret, or null where it needs none. */
export async function insertClient(
  tx: Transaction,
  client: NewClient & Pick<Client, 'auth_methods'>,
  is_sandbox: boolean,
): Promise<string | null> {
  await tx.run(insertionOf(client))
  return hasSecret(client) ? newClientSecret(tx, client.client_id, is_sandbox) : null
}

export function hasSecret({ auth_methods }: Pick<Client, 'auth_methods'>): boolean {
  return auth_methods.some((method) => secretMethods.includes(method))
}

/**
 * A client whose id is the address of its document, as that reads now. Reading the same again is no change: organizations
 * see when a client changed, and would see by it when any other had it read.
 */
export async function keepDocumentClient(
  tx: Transaction,
  { client_id, code_challenge_method: _, ...metadata }: ClientMetadata & { client_id: string },
  fresh_s: number,
): Promise<void> {
  const described = Object.keys(metadata)
  const describedIn = (table: string) => raw(described.map((column) => `${table}.${column}`).join(', '))
  const document_fresh_until = sql`app_now() + make_interval(secs => ${fresh_s})`
  await tx.run(sql`
    ${insertionOf({ client_id, kind: 'document', ...metadata, document_fresh_until })}
    on conflict (client_id) do update set
      (${raw(described.join(', '))}) = row(${describedIn('excluded')}),
      document_fresh_until = excluded.document_fresh_until,
      updated_at = case when (${describedIn('oauth_clients')}) is distinct from (${describedIn('excluded')})
        then excluded.updated_at else oauth_clients.updated_at end
    where oauth_clients.kind = 'document'`)
}

export const use_noted_every_ms = 3_600_000

/** Writes that a client was used, at most once an hour: what is unused for 30 days is removed. */
export async function noteClientUse(tx: Transaction, client_id: string): Promise<void> {
  await tx.run(sql`
    update oauth_clients set last_used_at = app_now()
    where client_id = ${client_id} and (last_used_at is null or last_used_at <= app_now() - make_interval(secs => ${use_noted_every_ms / 1_000}))`)
}

export async function isSecretOf(tx: Transaction, client_id: string, secret: string): Promise<boolean> {
  if (tokenKindOf(secret) !== 'client_secret') return false
  const row = await tx.row(sql`
    select digest from oauth_client_secrets
    where digest = ${digestOf(secret)} and client_id = ${client_id} and (retires_at is null or retires_at > app_now())`)
  return row !== undefined
}

/** Ends the secrets of a client after an overlap; those that end sooner stay as they are. */
export async function retireSecrets(tx: Transaction, client_id: string, overlap_s: number): Promise<void> {
  await tx.run(sql`
    update oauth_client_secrets
    set retires_at = least(coalesce(retires_at, 'infinity'), app_now() + make_interval(secs => ${overlap_s}))
    where client_id = ${client_id}`)
}

/** Remembers an assertion until it expires by itself; false when it was presented before. */
export async function noteAssertion(
  tx: Transaction,
  client_id: string,
  { jti, expires_at }: VerifiedAssertion,
): Promise<boolean> {
  const digest = createHash('sha256').update(jti).digest()
  const noted = await tx.run(sql`
    insert into oauth_assertions (client_id, jti_digest, expires_at) values (${client_id}, ${digest}, ${expires_at})
    on conflict do nothing`)
  return noted === 1
}

/** Makes a secret and writes its digest; the value exists only in what this answers. */
export async function newClientSecret(tx: Transaction, client_id: string, is_sandbox: boolean): Promise<string> {
  const value = newToken('client_secret', is_sandbox)
  await tx.run(insertInto('oauth_client_secrets', { ...atRest(value), client_id, created_at: sql`app_now()` }))
  return value
}

/** The answers that make a secret show it as long as it can still be used. */
export const revealedSecret: RevealedSecret = {
  field: 'client_secret',
  stands(answer, { tx }) {
    // The cast holds for every answer that makes a secret.
    const { client_id, client_secret } = answer as { client_id: string; client_secret: string }
    return isSecretOf(tx, client_id, client_secret)
  },
}
