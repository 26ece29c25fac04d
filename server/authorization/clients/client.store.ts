import { createHash } from 'node:crypto'
import { type Database, sql, type Transaction } from '#db/database.ts'
import type { TokenAtRest } from '#identity/token-format.ts'
import type { Client, ClientMetadata } from './client.ts'

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
  return database.transaction({ role: 'lookup', read_only: true }, (tx) =>
    tx.row(sql`
      select ${clientColumns}, c.last_used_at, o.name as organization_name, app_now()::timestamptz(3) as now,
             coalesce(c.document_fresh_until > app_now(), false) as document_fresh,
             coalesce(c.document_fresh_until > app_now() - interval '24 hours', false) as document_usable
      from oauth_clients c left join organizations o on o.id = c.owner_organization_id
      where c.client_id = ${client_id} and (c.expires_at is null or c.expires_at > app_now())`),
  )
}

/** A client that registered itself. */
export async function insertDynamicClient(
  tx: Transaction,
  client_id: string,
  client: ClientMetadata,
): Promise<{ created_at: string } | undefined> {
  return tx.row<{ created_at: string }>(sql`
    insert into oauth_clients (client_id, kind, name, description, redirect_uris, grant_types, auth_methods,
      application_type, code_challenge_method, client_uri, logo_uri, scopes, jwks, jwks_uri, created_at, updated_at)
    values (${client_id}, 'dynamic', ${client.client_name}, ${client.client_description}, ${client.redirect_uris},
      ${client.grant_types}, ${client.auth_methods}, ${client.application_type}, ${client.code_challenge_method},
      ${client.client_uri}, ${client.logo_uri}, ${client.scopes}, ${jsonOf(client.jwks)}, ${client.jwks_uri},
      app_now(), app_now())
    returning created_at`)
}

/**
 * A client whose id is the address of its document, as that reads now. Reading the same again is no change: organizations
 * see when a client changed, and would see by it when any other had it read.
 */
export async function keepDocumentClient(
  tx: Transaction,
  client_id: string,
  client: ClientMetadata,
  fresh_s: number,
): Promise<void> {
  await tx.run(sql`
    insert into oauth_clients (client_id, kind, name, description, redirect_uris, grant_types, auth_methods,
      application_type, client_uri, logo_uri, scopes, jwks, jwks_uri, document_fresh_until, created_at,
      updated_at)
    values (${client_id}, 'document', ${client.client_name}, ${client.client_description}, ${client.redirect_uris},
      ${client.grant_types}, ${client.auth_methods}, ${client.application_type}, ${client.client_uri},
      ${client.logo_uri}, ${client.scopes}, ${jsonOf(client.jwks)}, ${client.jwks_uri},
      app_now() + make_interval(secs => ${fresh_s}), app_now(), app_now())
    on conflict (client_id) do update set
      name = excluded.name, description = excluded.description, redirect_uris = excluded.redirect_uris,
      grant_types = excluded.grant_types, auth_methods = excluded.auth_methods,
      application_type = excluded.application_type, client_uri = excluded.client_uri, logo_uri = excluded.logo_uri,
      scopes = excluded.scopes, jwks = excluded.jwks, jwks_uri = excluded.jwks_uri,
      document_fresh_until = excluded.document_fresh_until,
      updated_at = case
        when (oauth_clients.name, oauth_clients.description, oauth_clients.redirect_uris, oauth_clients.grant_types,
              oauth_clients.auth_methods, oauth_clients.application_type, oauth_clients.client_uri,
              oauth_clients.logo_uri, oauth_clients.scopes, oauth_clients.jwks, oauth_clients.jwks_uri)
          is distinct from (excluded.name, excluded.description, excluded.redirect_uris, excluded.grant_types,
              excluded.auth_methods, excluded.application_type, excluded.client_uri, excluded.logo_uri,
              excluded.scopes, excluded.jwks, excluded.jwks_uri)
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

function jsonOf(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}

export async function insertSecret(tx: Transaction, client_id: string, secret: TokenAtRest): Promise<void> {
  await tx.run(sql`
    insert into oauth_client_secrets (digest, client_id, prefix, last4, created_at)
    values (${secret.digest}, ${client_id}, ${secret.prefix}, ${secret.last4}, app_now())`)
}

export async function isSecretOf(tx: Transaction, client_id: string, digest: Buffer): Promise<boolean> {
  const row = await tx.row(sql`
    select digest from oauth_client_secrets
    where digest = ${digest} and client_id = ${client_id} and (retires_at is null or retires_at > app_now())`)
  return row !== undefined
}

/** Ends the secrets of a client after an overlap; those that end sooner stay as they are. */
export async function retireSecrets(tx: Transaction, client_id: string, overlap_s: number): Promise<void> {
  await tx.run(sql`
    update oauth_client_secrets
    set retires_at = least(coalesce(retires_at, 'infinity'), app_now() + make_interval(secs => ${overlap_s}))
    where client_id = ${client_id}`)
}

/** The part of a valid assertion that is remembered, so that it holds once (RFC 7523 §3). */
export interface VerifiedAssertion {
  jti: string
  expires_at: string
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
