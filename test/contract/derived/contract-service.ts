import { after } from 'node:test'
import { startTestService, type TestOrganization, type TestService } from '#test/service.ts'

export interface ContractService {
  service: TestService
  /** Two sandbox organizations that know nothing of each other: in a sandbox every operation can be tried. */
  ours: TestOrganization
  theirs: TestOrganization
}

/** The service as derived tests call it, closed behind the last test. Receivers of webhooks may be on this machine, so no name is looked up. */
export async function contractService(): Promise<ContractService> {
  const service = await startTestService({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_MAX_SUBSCRIPTIONS: '1000' })
  after(() => service.close())
  const ours = await service.createOrganization({ name: 'Harbour Pine', is_sandbox: true })
  const theirs = await service.createOrganization({ name: 'Northern Elm', is_sandbox: true })
  return { service, ours, theirs }
}
