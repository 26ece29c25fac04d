import { createHash } from 'node:crypto'
import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import type { VerifiedAssertion } from './assertion.ts'

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
