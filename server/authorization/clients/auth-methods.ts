/** How a client authenticates itself at our endpoints (RFC 7591 §2). */
export const authMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const
export type AuthMethod = (typeof authMethods)[number]

/** Methods by which we and the client share a secret. */
export const secretMethods: readonly AuthMethod[] = ['client_secret_basic', 'client_secret_post']

/** Algorithms of a client's signature: asymmetric ones only, so that no public key can pass for a secret (RFC 8725 §2.1). */
export const assertionAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

export const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials'] as const
export type GrantType = (typeof grantTypes)[number]
