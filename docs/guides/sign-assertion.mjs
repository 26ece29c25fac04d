// Signs an assertion (RFC 7523) for private_key_jwt with Node alone: node sign-assertion.mjs <client_id> <issuer> <key.pem>
import { createPrivateKey, randomUUID, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'

const [client_id, issuer, path] = process.argv.slice(2)
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
const now_s = Math.floor(Date.now() / 1_000)
const header = { alg: 'ES256', kid: 'one' }
// jti makes it good for one use; it may be valid for five minutes at most.
const claims = { iss: client_id, sub: client_id, aud: issuer, iat: now_s, exp: now_s + 60, jti: randomUUID() }
const input = `${encode(header)}.${encode(claims)}`
const key = createPrivateKey(readFileSync(path))
const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
console.log(`${input}.${signature.toString('base64url')}`)
