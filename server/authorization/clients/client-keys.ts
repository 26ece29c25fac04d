import type { ClientMetadata, Fields } from './client-metadata.ts'
import { faultOfKeySet, keptKeySet } from './key-set.ts'
import { invalidMetadata, optional, webAddress } from './metadata-fields.ts'

/** Where the keys of a client that signs its assertions are: here or at an address, not both (RFC 7591 §2). */
export function clientKeys(fields: Fields, signs: boolean): Pick<ClientMetadata, 'jwks' | 'jwks_uri'> {
  if (!signs) return { jwks: null, jwks_uri: null }
  const jwks = optional(fields, 'jwks')
  const jwks_uri = webAddress(fields, 'jwks_uri')
  if (jwks !== undefined && jwks_uri !== null) throw invalidMetadata('jwks', 'must not stand beside jwks_uri')
  if (jwks === undefined && jwks_uri === null)
    throw invalidMetadata('jwks', 'or jwks_uri is needed for private_key_jwt')
  if (jwks_uri !== null) {
    if (!/^https:\/\/[^#]+$/.test(jwks_uri)) throw invalidMetadata('jwks_uri', 'must be https, without a fragment')
    return { jwks: null, jwks_uri }
  }
  const fault = faultOfKeySet(jwks)
  if (fault) throw invalidMetadata('jwks', fault)
  return { jwks: keptKeySet(jwks), jwks_uri: null }
}
