import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openClient } from './https-client.ts'
import { type Installation, install } from './installation.ts'
import { createOrganization } from './organization.ts'
import type { Receivers } from './receiver.ts'

export interface DeliveryInstallation extends AsyncDisposable {
  installation: Installation
  organization_id: string
  /** Settings under which a service may send to the receivers. */
  settings: Record<string, string>
}

/** An installation with one subscription to `contract.created` per receiver, all of one organization. */
export async function installWithReceivers(
  { urls, ca }: Pick<Receivers, 'urls' | 'ca'>,
  more: Record<string, string> = {},
): Promise<DeliveryInstallation> {
  await using resources = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'stint-bench-'))
  resources.defer(() => rm(folder, { recursive: true }))
  const ca_file = join(folder, 'receivers.pem')
  await writeFile(ca_file, ca)
  const settings = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_CA_FILE: ca_file, ...more }
  const installation = resources.use(await install(settings))
  const { id, token } = await createOrganization(installation, 'Harbour Pine')
  await using client = await openClient(installation, installation.service.origin, token, 1)
  for (const url of urls)
    await client.call('POST', '/rest/v2/webhooks', JSON.stringify({ url, events: ['contract.created'] }))
  const opened = resources.move()
  return { installation, organization_id: id, settings, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
