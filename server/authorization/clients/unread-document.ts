import { OAuthError } from '../oauth-error.ts'

/**
 * A client is described by a document that could not be read, or that this service does not read. A program whose document
 * is only away must not take it for an unknown client: one that is told so throws away what it holds.
 */
export class UnreadDocument extends OAuthError {
  readonly host: string
  readonly why: 'away' | 'off'

  constructor(client_id: string, why: 'away' | 'off') {
    if (why === 'away') {
      super('temporarily_unavailable', 'client: its document cannot be read for the moment', { isElsewhere: true })
    } else {
      super('invalid_client', 'client_id: documents of clients are not read here; register instead')
    }
    this.host = new URL(client_id).host
    this.why = why
  }
}
