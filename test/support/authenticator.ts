import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

interface Options {
  challenge: string
  rpId?: string
  rp?: { id?: string }
  user?: { id: string }
}

/** Deviations of an authenticator or a page that does not play by the rules. */
interface Deviation {
  origin?: string
  host?: string
  /** Without the person's PIN or finger. */
  unverified?: boolean
  counter?: number
  user_handle?: string
}

const flags = { present: 0x01, verified: 0x04, has_credential: 0x40 }
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** A security key in software: makes one passkey and signs with it as a browser at `origin` would have it do. */
export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credential_id = randomBytes(16)
  const id = credential_id.toString('base64url')
  const state = { counter: 0, user_handle: '', key: privateKey as KeyObject }

  const clientData = (type: string, challenge: string, at: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: at, crossOrigin: false }))
  const authenticatorData = (host: string, bits: number, counter: number) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(host), Buffer.from([bits]), count])
  }

  return {
    id,
    /** Another key under the same id, as a thief would have it. */
    forge() {
      state.key = createPrivateKey(
        generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
      )
    },
    create({ challenge, rp, user }: Options, { origin: at = origin, host = rp?.id ?? '', unverified }: Deviation = {}) {
      state.user_handle = user?.id ?? ''
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      // COSE_Key of ES256 (RFC 9053 §7.1.1) in CBOR: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
      const key = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
        Buffer.from(x, 'base64url'),
        Buffer.from([0x22, 0x58, 0x20]),
        Buffer.from(y, 'base64url'),
      ])
      const bits = flags.present | flags.has_credential | (unverified ? 0 : flags.verified)
      const data = Buffer.concat([
        authenticatorData(host, bits, 0),
        ...[Buffer.alloc(16), Buffer.from([0, credential_id.length]), credential_id, key],
      ])
      // {"fmt": "none", "attStmt": {}, "authData": …} in CBOR.
      const attestation = Buffer.concat([
        Buffer.from([0xa3, 0x63]),
        Buffer.from('fmt'),
        Buffer.from([0x64]),
        Buffer.from('none'),
        Buffer.from([0x67]),
        Buffer.from('attStmt'),
        Buffer.from([0xa0, 0x68]),
        Buffer.from('authData'),
        Buffer.from([0x58, data.length]),
        data,
      ])
      return {
        id,
        client_data: clientData('webauthn.create', challenge, at).toString('base64url'),
        attestation: attestation.toString('base64url'),
        transports: ['internal'],
      }
    },
    sign({ challenge, rpId = '' }: Options, deviation: Deviation = {}) {
      const { origin: at = origin, host = rpId, unverified, counter = state.counter + 1 } = deviation
      state.counter = counter
      const data = authenticatorData(host, flags.present | (unverified ? 0 : flags.verified), counter)
      const client = clientData('webauthn.get', challenge, at)
      return {
        id,
        client_data: client.toString('base64url'),
        authenticator_data: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256(client)]), state.key).toString('base64url'),
        user_handle: deviation.user_handle ?? state.user_handle,
      }
    },
  }
}
