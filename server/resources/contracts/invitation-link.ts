import { type SealedColumn, type Secrets, unseal } from '#core/secrets.ts'
import type { ContractRow } from './contract.ts'

declare module '#core/operation.ts' {
  interface Rooms {
    contracts: {
      /** Public origin of the pages that invitations lead to, e.g. `https://stint.example`. */
      origin: string
    }
  }
}

/** What the token of an invitation is sealed to: it opens for its own contract only. */
export function invitationContext({ organization_id, id }: Pick<ContractRow, 'organization_id' | 'id'>): string {
  return `invitation ${organization_id} ${id}`
}

/** The token stands behind `#`, so that it reaches no server log on its way to the page. */
export function invitationLink(
  origin: string,
  secrets: Secrets,
  contract: Pick<ContractRow, 'organization_id' | 'id'>,
  sealed: Buffer,
): string {
  return `${origin}/invite#${unseal(secrets, sealed, invitationContext(contract)).toString()}`
}

export const sealedInvitations: SealedColumn = {
  table: 'contracts',
  column: 'invitation_sealed',
  key: ['id'],
  // The cast holds because the row has the columns of `key`.
  contextOf: (row) => invitationContext(row as unknown as ContractRow),
}
