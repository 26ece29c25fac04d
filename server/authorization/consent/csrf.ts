import { derivedMacs, equalBytes, type Secrets } from '#core/secrets/secrets.ts'
import { foreignOrigin } from '../same-origin.ts'

const purpose = 'stint consent request'

/** Proves that a decision comes from the page that was shown this request in this session (RFC 6749 §10.12). */
export function csrfToken(secrets: Secrets, session_id: string, request_id: string): string {
  const [newest] = derivedMacs(secrets, purpose)
  if (!newest) throw new Error('there is no key to sign with')
  return newest(textOf(session_id, request_id)).toString('base64url')
}

export function checkCsrfToken(secrets: Secrets, session_id: string, request_id: string, sent: string): void {
  const bytes = Buffer.from(sent, 'base64url')
  const isOurs = derivedMacs(secrets, purpose).some((mac) => equalBytes(mac(textOf(session_id, request_id)), bytes))
  if (!isOurs) throw foreignOrigin()
}

function textOf(session_id: string, request_id: string): string {
  return JSON.stringify([session_id, request_id])
}
