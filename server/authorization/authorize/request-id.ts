import { createHash, randomBytes } from 'node:crypto'

const request_id_bytes = 32
const request_id_form = /^[A-Za-z0-9_-]{43}$/

/** Names a request on the consent page: 43 random characters, of which the database keeps the digest only. */
export function newRequestId(): string {
  return randomBytes(request_id_bytes).toString('base64url')
}

/** Null for what is no id of ours; it is not looked up. */
export function digestOfRequestId(request_id: string): Buffer | null {
  return request_id_form.test(request_id) ? createHash('sha256').update(request_id).digest() : null
}
