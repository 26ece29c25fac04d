import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openClient } from './https-client.ts'
import { type Installation, install } from './installation.ts'
import { type BenchOrganization, createOrganization } from './organization.ts'
import type { Receivers } from './receiver.ts'

export interface DeliveryInstallation extends AsyncDisposable {
  installation: Installation
  organizations: BenchOrganization[]
  /** Settings under which a service may send to the receivers. */
  settings: Record<string, string>
}

/** An installation with one subscription to `contract.created` per receiver, spread over that many organizations. */
export async function installWithReceivers(
  { urls, ca }: Pick<Receivers, 'urls' | 'ca'>,
  organizations_count: number,
  more: Record<string, string> = {},
): Promise<DeliveryInstallation> {
  await using resources = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'stint-bench-'))
  resources.defer(() => rm(folder, { recursive: true }))
  const ca_file = join(folder, 'receivers.pem')
  await writeFile(ca_file, ca)
  const settings = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_CA_FILE: ca_file, ...more }
  const installation = resources.use(await install(settings))
  const organizations: BenchOrganization[] = []
  for (let index = 0; index < organizations_count; index += 1) {
    const organization = await createOrganization(installation, `Organization ${index}`)
    await using client = await openClient(installation, installation.service.origin, organization.token, 1)
    for (const url of urls.filter((_, place) => place % organizations_count === index))
      await client.call('POST', '/rest/v2/webhooks', JSON.stringify({ url, events: ['contract.created'] }))
    organizations.push(organization)
  }
  const opened = resources.move()
  return { installation, organizations, settings, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
