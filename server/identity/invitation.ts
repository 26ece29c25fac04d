import type { Actor } from '#core/caller.ts'
import type { ReactionContext } from '#core/reaction.ts'
import type { Transaction } from '#db/database.ts'
import type { Invited } from './invitation.store.ts'

/** The offer behind a link, as its page shows it. */
export interface InvitationOffer {
  /** The name that a new login gets; null: the page asks for it. */
  name: string | null
  /** The login that belongs to whom the invitation is for, where one does already. */
  user_id: string | null
  /** Access that was taken away is not given back by a link. */
  is_blocked: boolean
  /** For the page, beside what all invitations have. */
  shown: Record<string, unknown>
}

/**
 * One kind of invitation: what its link shows, and what a login gets by it. Whoever invites makes and ends the row
 * (`invitation.store.ts`); the endpoint of the page does the rest and knows no kind.
 */
export interface InvitationKind {
  kind: Invited['kind']
  /** It is about credentials, which go by the real clock also in a sandbox. */
  on_real_time?: true
  /** The page of the console to go to afterwards. */
  home(invited: Invited): string
  offer(tx: Transaction, invited: Invited): Promise<InvitationOffer>
  /** Locks what the invitation is about, which whoever ends it locks first as well. */
  lock(tx: Transaction, invited: Invited): Promise<void>
  /** Gives the login what it was invited to; answers the doer and the subject of the audit line. */
  accept(invited: Invited, login: { id: string; name: string }, context: AcceptContext): Promise<Accepted>
}

export type AcceptContext = Pick<ReactionContext, 'tx' | 'now' | 'emit'>

interface Accepted {
  actor: Actor
  subject: { kind: string; id: string }
  changed_fields: readonly string[]
}
