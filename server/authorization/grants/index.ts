import { deleteGrant } from './delete-grant.ts'
import { listGrants } from './list-grants.ts'

export const oauthGrantOperations = [listGrants, deleteGrant]
