import type { IncomingMessage } from 'node:http'
import type { FastifyServerFactory } from 'fastify'
import type { Logger } from 'pino'
import { addressesOf } from '#authorization/addresses.ts'
import { StartRefused } from '#db/start-refused.ts'
import type { CertifiedKey } from '#surfaces/https/certificate-authority.ts'
import { type CertificateWatch, watchCertificate } from '#surfaces/https/certificate-watch.ts'
import { createSecureListener, type SecureListener } from '#surfaces/https/listener.ts'
import { openTlsMaterial } from '#surfaces/https/tls-material.ts'
import { diskCheck, watchDataFolder } from '#surfaces/management/disk.ts'
import { type ReadinessCheck, startManagement } from '#surfaces/management/management-server.ts'
import { originOf } from './boot/addresses.ts'
import { type Background, type BackgroundParts, createBackground } from './boot/background.ts'
import type { Config } from './boot/config.ts'
import type { DatabaseServer } from './boot/database-server.ts'
import { openReplicaOf, openStorage, type Storage } from './boot/open-storage.ts'
import { createService } from './boot/service.ts'
import { createBackgroundThread, giveWayToBackground } from './boot/start-background.ts'
import { systemClock } from './core/clock.ts'
import { httpsRequired, refusalOf } from './core/problems.ts'
import type { Replica } from './core/replica.ts'
import { faultOfSecrets } from './operator/sealing-keys.ts'
import type { Wake } from './webhooks/room.ts'

export type Running = Awaited<ReturnType<typeof start>>

/**
 * The whole service in this process: database → registry → surfaces → workers → listen. The server of its database may
 * still be starting.
 */
export async function start(config: Config, log: Logger, server: Promise<DatabaseServer>) {
  // Closes again, when a later step refuses, all that is open: a database left running would keep the process alive.
  await using opened = new AsyncDisposableStack()
  const hosts = servedHosts(config)
  const { STINT_DATA_DIR: data_dir, STINT_TLS_CERT_FILE, STINT_TLS_KEY_FILE } = config
  const files = { cert_file: STINT_TLS_CERT_FILE ?? undefined, key_file: STINT_TLS_KEY_FILE ?? undefined }
  const openTls = () => openTlsMaterial({ data_dir, hosts, ...files, now: Date.now })
  const opening = server.then((ready) => openStorage(config, ready))
  opened.defer(async () => (await opening.catch(() => null))?.close())
  const [tls, storage] = await Promise.all([openTls(), opening])
  const [serves_api, works] = [config.STINT_ROLES.includes('api'), config.STINT_ROLES.includes('worker')]
  const replica = serves_api ? openReplicaOf(config, storage, log) : undefined
  opened.defer(() => replica?.close())
  const parts = { ...partsOf(config, storage, log), replica }
  const wake: Wake = { due: (ids) => background.due(ids), changed: (id) => background.changed(id) }
  const { service, listener } = createListeningService(parts, wake, tls)
  opened.defer(() => service.close())
  // Last of all that may refuse a setting: what a thread refuses ends the process without a word for the operator.
  const has_thread = serves_api && works
  const background = has_thread ? createBackgroundThread(parts, log) : createBackground(parts)
  opened.defer(() => background.close())
  const setTls = (pair: CertifiedKey) => listener?.setTls(pair)
  const watched = { hosts, open: openTls, setTls, log, now: Date.now }
  const certificate = serves_api ? watchCertificate(tls, watched) : null
  opened.defer(() => certificate?.stop())
  watchDataFolder(data_dir)
  opened.defer(() => watchDataFolder(null))
  const readiness = readinessOf(background, { storage, replica }, data_dir, certificate)
  const management = await refusePort(
    config,
    'STINT_MANAGEMENT_PORT',
    startManagement(config.STINT_MANAGEMENT_PORT, readiness, background.metrics, config.STINT_MANAGEMENT_HOST),
  )
  opened.defer(() => management.close())
  if (serves_api) {
    await refusePort(config, 'STINT_PORT', service.app.listen({ host: config.STINT_HOST, port: config.STINT_PORT }))
  }
  opened.defer(() => service.app.close())
  if (works) await background.start()
  if (has_thread) giveWayToBackground()
  log.info({ origin: parts.origin, roles: config.STINT_ROLES, database: storage.kind }, 'started')
  const rest = opened.move()
  return {
    origin: parts.origin,
    /** The authority that clients must trust; null for the operator's own certificate. */
    ca_file: tls.ca_file,
    /** Faults that clients object to in the certificate, at the start. */
    certificate_faults: certificate?.faults() ?? [],
    management_port: management.port,
    service,
    storage,
    /** Stops accepting, finishes what runs within the bound of the settings, and closes everything. */
    async stop() {
      management.startShutdown()
      await Promise.all([listener?.close(config.STINT_SHUTDOWN_MS), background.stop()])
      // In the opposite order of their opening: application, management, background, service, storage.
      await rest.disposeAsync()
      log.info('stopped')
    },
  }
}

/** The parts of a service on a storage that is open. */
export function partsOf(config: Config, storage: Storage, log: Logger) {
  return {
    ...storage,
    ...{ config, origin: originOf(config), clock: systemClock, log, strict: false },
    // Its folder is locked: whoever held it before has ended.
    is_alone: storage.kind === 'embedded',
  }
}

function createListeningService(parts: BackgroundParts, wake: Wake, tls: CertifiedKey) {
  let listener: SecureListener | undefined
  const surface = {
    serverFactory: (handler: Parameters<FastifyServerFactory>[0]) => {
      listener = createSecureListener({
        tls,
        handler,
        trusted_proxies: parts.config.STINT_TRUSTED_PROXIES,
        problem: (request_id) => refusalOf(service.runtime, httpsRequired(), request_id).body,
      })
      return listener.server
    },
    clientAddress: (request: IncomingMessage) => listener?.clientAddress(request) ?? 'unknown',
  }
  const service = createService({ ...parts, ...surface }, wake)
  return { service, listener }
}

/** A port that is taken or not ours to take is the operator's to put right; the setting is named. */
async function refusePort<Result>(
  config: Config,
  setting: 'STINT_PORT' | 'STINT_MANAGEMENT_PORT',
  listening: Promise<Result>,
): Promise<Result> {
  try {
    return await listening
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    const reason = portFaults[code] ?? 'cannot be listened on'
    throw new StartRefused(
      `The port ${config[setting]} of ${setting} ${reason}: choose another port with ${setting} (${message})`,
      { cause },
    )
  }
}

const portFaults: Record<string, string> = {
  EADDRINUSE: 'is in use by another program',
  EACCES: 'is not for this user to listen on',
}

/** The names under which clients reach the service, whatever certificate is served. */
export function servedHosts(config: Config): string[] {
  const { base_url, auth_url } = addressesOf(originOf(config), config.STINT_AUTH_URL)
  return [base_url, auth_url].map((url) => new URL(url).hostname)
}

function readinessOf(
  background: Background,
  { storage: { database, secrets, kind }, replica }: { storage: Storage; replica: Replica | undefined },
  data_dir: string,
  certificate: CertificateWatch | null,
): Record<string, ReadinessCheck> {
  return {
    database: async () => (await database.transaction({ role: 'app' }, async () => null)) ?? null,
    webhooks: background.fault,
    secrets: () => faultOfSecrets(database, secrets),
    disk: diskCheck(kind === 'embedded' ? data_dir : null, Date.now),
    // A warning: without it everything is read at the primary.
    ...(replica && {
      replica: async () => {
        const fault = replica.fault()
        return fault === null ? null : { warning: `lists are read at the primary: ${fault}` }
      },
    }),
    // A warning: whether its clients mind only the operator knows, and no process would be ready.
    ...(certificate && {
      certificate: async () => {
        const faults = certificate.faults()
        return faults.length > 0 ? { warning: faults.join('; ') } : null
      },
    }),
  }
}
