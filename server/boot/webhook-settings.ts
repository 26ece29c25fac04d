import { readFileSync } from 'node:fs'
import { type Config, delayOf } from './config.ts'
import { SettingsError } from './settings.ts'

/** The settings of the webhook room in its own words. */
export function webhookSettings(config: Config) {
  return {
    delays_ms: config.WEBHOOK_RETRY_SCHEDULE.map(delayOf),
    disable_after: config.WEBHOOK_DISABLE_AFTER,
    warn_after: config.WEBHOOK_WARN_AFTER,
    timeout_ms: config.WEBHOOK_TIMEOUT_MS,
    concurrency: config.WEBHOOK_CONCURRENCY,
    in_flight_max: config.WEBHOOK_MAX_IN_FLIGHT,
    release_rate: config.WEBHOOK_RELEASE_RATE,
    subscriptions_max: config.WEBHOOK_MAX_SUBSCRIPTIONS,
    retention_days: config.STINT_RETENTION_DELIVERIES,
    // The embedded database has one process, which wakes itself.
    notify: config.WEBHOOK_NOTIFY && config.DATABASE_URL !== null,
    shutdown_ms: config.STINT_SHUTDOWN_MS,
  }
}

/** Limits of the egress guard. A receiver may share our machine and our name, but not our port. */
export function egressSettings(config: Config, origin: string) {
  return {
    allowed_networks: config.WEBHOOK_ALLOWED_NETWORKS,
    allowed_hosts: config.WEBHOOK_ALLOWED_HOSTS,
    allowed_ports: config.WEBHOOK_ALLOWED_PORTS,
    allow_loopback_http: config.WEBHOOK_ALLOW_LOOPBACK_HTTP,
    own_hosts: [origin, config.STINT_AUTH_URL ?? origin].map(ownName),
    own_addresses: [
      { address: config.STINT_HOST, port: config.STINT_PORT },
      { address: '127.0.0.1', port: config.STINT_MANAGEMENT_PORT },
    ],
    extra_ca: config.WEBHOOK_CA_FILE === null ? null : readAuthorities(config.WEBHOOK_CA_FILE),
  }
}

function ownName(origin: string): string {
  const { hostname, port } = new URL(origin)
  return hostname === 'localhost' ? `localhost:${port || 443}` : hostname
}

function readAuthorities(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new SettingsError([`WEBHOOK_CA_FILE cannot be read: ${cause instanceof Error ? cause.message : cause}`])
  }
}
