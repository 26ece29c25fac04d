import { createToken } from './create-token.ts'
import { deleteToken } from './delete-token.ts'
import { apiTokenCreated, apiTokenExpiring, apiTokenRevoked, oauthGrantRevoked, workerTokenCreated } from './events.ts'
import { expiryTimers } from './expiry-notice.ts'
import { getToken } from './get-token.ts'
import { listTokens } from './list-tokens.ts'
import { rotateToken } from './rotate-token.ts'

export const apiTokenOperations = [listTokens, createToken, getToken, rotateToken, deleteToken]
export const apiTokenEvents = [
  apiTokenCreated,
  apiTokenExpiring,
  apiTokenRevoked,
  workerTokenCreated,
  oauthGrantRevoked,
]
export const apiTokenTimers = expiryTimers
