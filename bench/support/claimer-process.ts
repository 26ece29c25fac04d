import { join } from 'node:path'
import { egressSettings, settingsTable, webhookSettings } from '#boot/config.ts'
import { events, operations } from '#boot/operations.ts'
import { readSettings } from '#boot/settings.ts'
import { systemClock } from '#core/clock.ts'
import { createLog } from '#core/log.ts'
import { createRegistry } from '#core/registry.ts'
import { openSecretsFile } from '#operator/secrets-file.ts'
import type { AttemptResult } from '#outbound/attempt.ts'
import { openWebhooks, type Webhooks } from '#webhooks/open-webhooks.ts'
import type { ClaimerOrder, ClaimerSetup } from './claimer.ts'

// The engine alone, with a sender that succeeds without sending.

const succeeded: AttemptResult = {
  outcome: 'succeeded',
  error_class: null,
  error_phase: null,
  error_detail: null,
  response_status: 200,
  response_headers: {},
  response_body: Buffer.from('ok'),
  response_cut: null,
  retry_after: null,
  addresses: [],
  resolved_ip: '127.0.0.1',
  tls_version: 'TLSv1.3',
  connection_reused: true,
  dns_ms: null,
  connect_ms: null,
  tls_ms: null,
  first_byte_ms: 1,
  total_ms: 1,
}

let webhooks: Webhooks | undefined

process.on('message', async (message: ClaimerSetup | ClaimerOrder) => {
  if (typeof message === 'object') webhooks = open(message)
  else if (message === 'start') webhooks?.start()
  else await webhooks?.stop()
  process.send?.('done')
})
process.on('disconnect', async () => {
  await webhooks?.close()
  process.exit()
})

function open({ connection, folder }: ClaimerSetup): Webhooks {
  const config = readSettings(settingsTable, {})
  return openWebhooks({
    settings: webhookSettings(config),
    egress: egressSettings(config, 'https://localhost'),
    connection,
    registry: createRegistry(operations, events),
    secrets: openSecretsFile(join(folder, 'secrets.json'), false),
    clock: systemClock,
    log: createLog('silent'),
    release: 'bench',
    sender: { send: async () => succeeded, close: () => undefined, connections: { open: 0, idle: 0 } },
  })
}
