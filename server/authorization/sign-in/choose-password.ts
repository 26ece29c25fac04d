import { replacePassword } from '#identity/account.store.ts'
import { deleteSessionsOfUser } from '#identity/sessions/index.ts'
import { type SetUpLink, spendSetUpLink } from '#identity/set-up-links/index.ts'
import type { ConsoleParts, ConsoleRequest } from '../console-endpoint.ts'
import { auditByUser } from './audit-by-user.ts'
import { beginSignedIn } from './begin-signed-in.ts'
import { linkRefused } from './link-refused.ts'

interface Choice {
  link: SetUpLink
  password_hash: string
  request: ConsoleRequest
}

/** Sets the password of the link's user, ends every session that user has and begins one. Answers what `beginSignedIn` does. */
export function choosePassword(
  { database, secrets }: ConsoleParts,
  { link, password_hash, request }: Choice,
): Promise<readonly string[]> {
  const { user_id, name, email, organization_id } = link
  if (user_id === null || name === null || email === null) throw new Error('this link is for no user')
  const audited = organization_id === null ? {} : { organization_id }
  return database.transaction({ role: 'operator', ...audited }, async (tx) => {
    if (!(await spendSetUpLink(tx, link)) || !(await replacePassword(tx, user_id, password_hash))) {
      throw linkRefused('used')
    }
    await deleteSessionsOfUser(tx, user_id)
    if (organization_id !== null) {
      const user = { organization_id, user_id, name }
      await auditByUser(tx, user, request, { action: 'users.set_password', id: user_id })
    }
    return beginSignedIn(tx, secrets, request, { user_id, email })
  })
}
