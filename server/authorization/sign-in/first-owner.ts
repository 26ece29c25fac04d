import { newId } from '#core/values/id.ts'
import { grantMembership, insertUser } from '#identity/account.store.ts'
import { anyAccount, lockAccounts, type SetUpLink, spendSetUpLink } from '#identity/set-up-links/index.ts'
import { insertOrganization } from '#resources/organizations/index.ts'
import type { ConsoleParts, ConsoleRequest } from '../console-endpoint.ts'
import { auditByUser } from './audit-by-user.ts'
import { beginSignedIn } from './begin-signed-in.ts'
import { linkRefused } from './link-refused.ts'

interface FirstOwner {
  link: SetUpLink
  owner: {
    name: string
    email: string
    organization: { name: string; timezone: string; default_currency: string }
  }
  password_hash: string
  request: ConsoleRequest
}

/**
 * Organization, owner and session in one transaction, under a lock and only while nobody has an account: of any number of
 * requests with the same link one succeeds. Answers what `beginSignedIn` does.
 */
export function createFirstOwner(
  { database, secrets }: ConsoleParts,
  { link, owner: { name, email, organization }, password_hash, request }: FirstOwner,
): Promise<readonly string[]> {
  const [organization_id, user_id] = [newId(Date.now()), newId(Date.now())]
  return database.transaction({ role: 'operator', organization_id }, async (tx) => {
    await lockAccounts(tx)
    if (!(await spendSetUpLink(tx, link))) throw linkRefused('used')
    if (await anyAccount(tx)) throw linkRefused('taken')
    await insertOrganization(tx, { id: organization_id, ...organization, country: null, is_sandbox: false })
    await insertUser(tx, { id: user_id, email, name, password_hash })
    await grantMembership(tx, organization_id, user_id, 'owner')
    const user = { organization_id, user_id, name }
    await auditByUser(tx, user, request, { action: 'organizations.create', id: organization_id })
    await auditByUser(tx, user, request, { action: 'members.create', id: user_id })
    return beginSignedIn(tx, secrets, request, { user_id, email })
  })
}
