import { createOauthClient } from './create-oauth-client.ts'
import { deleteOauthClient } from './delete-oauth-client.ts'
import { getOauthClient } from './get-oauth-client.ts'
import { listOauthClients } from './list-oauth-clients.ts'
import { rotateOauthClientSecret } from './rotate-oauth-client-secret.ts'
import { updateOauthClient } from './update-oauth-client.ts'

export const oauthClientOperations = [
  listOauthClients,
  createOauthClient,
  getOauthClient,
  updateOauthClient,
  deleteOauthClient,
  rotateOauthClientSecret,
]
