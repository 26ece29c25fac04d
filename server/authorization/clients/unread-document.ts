import { OAuthError } from '../oauth-error.ts'

const descriptions = {
  off: 'client_id: documents of clients are not read here; register instead',
  unusable: 'client_id: its document describes no client that can be used here',
}

/**
 * A client is described by a document that could not be read, that this service does not read, or that is of no use. A
 * program whose document is only away must not take it for an unknown client: one that is told so throws away what it holds.
 */
export class UnreadDocument extends OAuthError {
  readonly host: string
  readonly why: 'away' | 'off' | 'unusable'

  constructor(client_id: string, why: UnreadDocument['why']) {
    if (why === 'away') {
      super('temporarily_unavailable', 'client: its document cannot be read for the moment', { isElsewhere: true })
    } else {
      super('invalid_client', descriptions[why])
    }
    this.host = new URL(client_id).host
    this.why = why
  }
}
