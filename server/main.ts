import { refusalOf } from '#core/answer.ts'
import { createLog } from '#core/log.ts'
import { httpsRequired } from '#core/problems.ts'
import { systemClock } from '#core/runtime.ts'
import { createSecureListener } from '#surfaces/https/listener.ts'
import { openTlsMaterial } from '#surfaces/https/tls-material.ts'
import { renewTls } from '#surfaces/https/tls-renewal.ts'
import { type ReadinessCheck, startManagement } from '#surfaces/management/management-server.ts'
import type { Config } from './config.ts'
import { openStorage, type Storage } from './open-storage.ts'
import { faultOfSecrets } from './sealing/canaries.ts'
import { createService, type Service } from './service.ts'

export interface Running {
  origin: string
  /** The authority that clients must trust; null for the operator's own certificate. */
  ca_file: string | null
  management_port: number
  service: Service
  storage: Storage
  /** Stops accepting, finishes what runs within the bound of the settings, and closes everything. */
  stop(): Promise<void>
}

/** The whole service in this process: database → registry → surfaces → workers → listen. */
export async function start(config: Config): Promise<Running> {
  const log = createLog(config.STINT_LOG_LEVEL)
  const openTls = () =>
    openTlsMaterial({
      data_dir: config.STINT_DATA_DIR,
      hosts: config.STINT_BASE_URL ? [new URL(config.STINT_BASE_URL).hostname] : [],
      cert_file: config.STINT_TLS_CERT_FILE ?? undefined,
      key_file: config.STINT_TLS_KEY_FILE ?? undefined,
      now: Date.now,
    })
  // What is open when a later step refuses is closed again: a database left running would keep the process alive.
  await using opened = new AsyncDisposableStack()
  const opening = openStorage(config, log)
  opened.defer(() => opening.then((storage) => storage.close()).catch(() => undefined))
  const [tls, storage] = await Promise.all([openTls(), opening])
  const origin = config.STINT_BASE_URL ?? `https://localhost:${config.STINT_PORT}`
  const { database, secrets, connection } = storage
  let listener: ReturnType<typeof createSecureListener> | undefined
  const service = createService({
    config,
    origin,
    database,
    secrets,
    connection,
    clock: systemClock,
    log,
    strict: false,
    serverFactory: (handler) => {
      listener = createSecureListener({
        tls,
        handler,
        trusted_proxies: config.STINT_TRUSTED_PROXIES,
        problem: (request_id) => refusalOf(service.runtime, httpsRequired(), request_id).body,
      })
      return listener.server
    },
    clientAddress: (request) => listener?.clientAddress(request) ?? 'unknown',
  })
  opened.defer(() => service.stop())
  const isApi = config.STINT_ROLES.includes('api')
  const management = await startManagement(config.STINT_MANAGEMENT_PORT, readinessOf(service, storage))
  opened.defer(() => management.close())
  if (isApi) await service.app.listen({ host: config.STINT_HOST, port: config.STINT_PORT })
  if (config.STINT_ROLES.includes('worker')) await service.startWorkers()
  const stopRenewal = renewTls({
    current: tls,
    open: openTls,
    setTls: (pair) => listener?.setTls(pair),
    onError: (error) => log.error({ err: error }, 'certificate_not_renewed'),
  })
  log.info({ origin, roles: config.STINT_ROLES, database: storage.kind }, 'started')
  opened.move()
  return {
    origin,
    ca_file: tls.ca_file,
    management_port: management.port,
    service,
    storage,
    async stop() {
      management.startShutdown()
      stopRenewal()
      await Promise.all([listener?.close(config.STINT_SHUTDOWN_MS), service.stop()])
      await service.app.close()
      await management.close()
      await storage.close()
      log.info('stopped')
    },
  }
}

function readinessOf(service: Service, { database, secrets }: Storage): Record<string, ReadinessCheck> {
  return {
    database: async () => (await database.transaction({ role: 'app' }, async () => null)) ?? null,
    webhooks: async () => service.dispatcher.fault(),
    secrets: () => faultOfSecrets(database, secrets),
  }
}
