import { createToken } from './create-token.ts'
import { deleteToken } from './delete-token.ts'
import { apiTokenCreated, apiTokenRevoked, workerTokenCreated } from './events.ts'
import { getToken } from './get-token.ts'
import { listTokens } from './list-tokens.ts'
import { rotateToken } from './rotate-token.ts'

export const apiTokenOperations = [listTokens, createToken, getToken, rotateToken, deleteToken]
export const apiTokenEvents = [apiTokenCreated, apiTokenRevoked, workerTokenCreated]
