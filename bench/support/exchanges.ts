import type { HttpsClient } from './https-client.ts'
import type { Installation } from './installation.ts'
import { openLocalService } from './local-service.ts'
import { openFlows } from './oauth-flows.ts'

/** A client may exchange 600 times a minute: so many share the load. */
const oauth_clients = 400

/** Connects public clients of an organization; answers what exchanges the refresh token of one of them, in turn, over `client`. */
export async function exchanges(
  installation: Installation,
  organization_id: string,
  client: HttpsClient,
): Promise<() => Promise<void>> {
  await using local = openLocalService(installation, 8)
  const flows = await openFlows(local, installation.service.origin, organization_id)
  const families = await Promise.all(
    Array.from({ length: oauth_clients }, async () => flows.connect(await flows.register())),
  )
  return async () => {
    const family = families.shift()
    if (!family) throw new Error('every family is being refreshed')
    const { client_id, refresh_token } = family
    const parameters = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token })
    families.push({ ...family, ...JSON.parse(String(await client.call('POST', '/oauth/token', String(parameters)))) })
  }
}
