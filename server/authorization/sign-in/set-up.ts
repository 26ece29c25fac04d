import { notFound, validationFailed } from '#core/problems/problems.ts'
import { Closed, CurrencyCode, Email, type Static, Text, TimeZone, Type } from '#core/schema/schema.ts'
import { currencies } from '#core/values/money.ts'
import type { Database } from '#db/database.ts'
import { faultOfPassword, hashPassword } from '#identity/password.ts'
import { anyAccount, findSetUpLink, type SetUpLink } from '#identity/set-up-links/index.ts'
import type { ConsoleEndpoint, ConsoleParts, ConsoleRequest } from '../console-endpoint.ts'
import { choosePassword } from './choose-password.ts'
import { createFirstOwner } from './first-owner.ts'
import { linkRefused } from './link-refused.ts'

/** Where the page sends the secret of its address: a header, because addresses end up in logs. */
const link_header = 'stint-set-up-link'

const SetUp = Closed({
  password: Type.String({ maxLength: 1_000 }),
  owner: Type.Optional(
    Closed({
      name: Text(1, 200),
      email: Email,
      organization: Closed({ name: Text(1, 200), timezone: TimeZone, default_currency: CurrencyCode }),
    }),
  ),
})

/** What the link is for, before anything is typed. */
export function showSetUp({ database }: ConsoleParts): ConsoleEndpoint {
  return {
    operation: 'console.show_set_up',
    method: 'GET',
    path: '/console/auth/set-up',
    async handle(request) {
      const { user_id, email, name } = await openLink(database, request)
      return { body: user_id === null ? { purpose: 'first_owner', currencies } : { purpose: 'password', email, name } }
    },
  }
}

/** Makes the first owner with the organization, or sets the password of the link's user; either signs in. */
export function setUp(parts: ConsoleParts): ConsoleEndpoint {
  return {
    operation: 'console.set_up',
    method: 'POST',
    path: '/console/auth/set-up',
    input: SetUp,
    async handle(request) {
      // The cast holds because the input was checked against `SetUp`.
      const { password, owner } = request.input as Static<typeof SetUp>
      const link = await openLink(parts.database, request)
      const fault = faultOfPassword(password)
      if (fault) throw refusal('/password', fault)
      if (link.user_id !== null) {
        return signedIn(await choosePassword(parts, { link, password_hash: await hashPassword(password), request }))
      }
      if (!owner) throw refusal('/owner', 'is required')
      const password_hash = await hashPassword(password)
      return signedIn(await createFirstOwner(parts, { link, owner, password_hash, request }))
    },
  }
}

const signedIn = (cookie: readonly string[]) => ({ status: 201, body: {}, cookie }) as const

/** The link that a request came with, as long as it can be used. */
async function openLink(database: Database, { headers }: ConsoleRequest): Promise<SetUpLink> {
  const secret = headers[link_header]
  if (typeof secret !== 'string') throw notFound()
  const { link, isTaken } = await database.transaction({ role: 'lookup', read_only: true }, async (tx) => {
    const found = await findSetUpLink(tx, secret)
    return { link: found, isTaken: found?.user_id === null && (await anyAccount(tx)) }
  })
  if (!link) throw linkRefused('unknown')
  if (link.is_used) throw linkRefused('used')
  if (isTaken) throw linkRefused('taken')
  if (link.is_expired) throw linkRefused('expired')
  return link
}

function refusal(pointer: string, message: string) {
  return validationFailed(undefined, { errors: [{ pointer, message }] })
}
