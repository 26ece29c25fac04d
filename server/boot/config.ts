import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { parse as parseToml, TomlError } from 'smol-toml'
import { readJson } from '#core/json.ts'
import { destinationOf, parseAllowedNetwork, parsePortRanges } from '#outbound/address-rules.ts'
import { trustedProxies } from '#surfaces/https/address.ts'
import {
  flag,
  type GivenSettings,
  integer,
  list,
  oneOf,
  optional,
  origin,
  readSettings,
  type Settings,
  SettingsError,
  sourcesOf,
  text,
  warningsOf,
} from './settings.ts'

/** Every setting of the service, in the order of the reference. */
export const settingsTable = {
  STINT_DATA_DIR: text('./data', 'Folder for the embedded database, certificates and secrets.'),
  DATABASE_URL: optional(
    'PostgreSQL 15 or newer, as postgres://user:password@host/name. Unset: the embedded database.',
    { is_secret: true, check: checkDatabaseUrl },
  ),
  DATABASE_REPLICA_URL: optional(
    'A standby of DATABASE_URL, one server, that lists and exports of the REST API are read from. Unset: all reads go to DATABASE_URL.',
    { is_secret: true, check: checkDatabaseUrl },
  ),
  STINT_REPLICA_AGE_MAX_MS: integer(
    5_000,
    [1_000, 60_000],
    'Milliseconds that the standby of DATABASE_REPLICA_URL may be behind; beyond it DATABASE_URL is read.',
  ),
  STINT_DATABASE_WAIT_S: integer(
    60,
    [0, 3_600],
    'Seconds that a start or a command waits for the database of DATABASE_URL when it is not up yet.',
  ),
  STINT_HOST: text('127.0.0.1', 'Address the service listens on.'),
  STINT_PORT: integer(
    8443,
    [0, 65_535],
    'Port of REST API, tool server, authorization and console; 0 takes any free port.',
  ),
  STINT_BASE_URL: origin(
    'Public origin, e.g. https://stint.example. All issued addresses come from it. Unset: https://localhost:<port>.',
  ),
  STINT_AUTH_URL: origin('Public origin of authorization server and console. Unset: the same as STINT_BASE_URL.'),
  STINT_TLS_CERT_FILE: optional('Certificate chain (PEM). Unset: a certificate of the local development authority.'),
  STINT_TLS_KEY_FILE: optional('Private key (PEM) of STINT_TLS_CERT_FILE.'),
  STINT_CLIENT_DOCUMENTS: oneOf(
    ['auto', 'on', 'off'],
    'auto',
    'Whether OAuth clients may be described by a document on the Internet; auto: as long as look-ups reach anything.',
  ),
  STINT_CLIENT_ALLOWED_NETWORKS: list(
    '',
    'Private networks that documents and key sets of OAuth clients may be read from.',
    parseAllowedNetwork,
  ),
  STINT_TRUSTED_PROXIES: list(
    '',
    'Addresses or networks whose X-Forwarded-Proto and X-Forwarded-For count.',
    (entry) => void trustedProxies([entry]),
  ),
  STINT_HSTS_MAX_AGE_S: integer(31_536_000, [0, 63_072_000], 'Seconds of Strict-Transport-Security.'),
  STINT_SECRETS_FILE: optional(
    'Sealing keys (JSON, mode 0600). Unset: <data>/secrets.json, made at the first start of the embedded database.',
  ),
  STINT_ROLES: list('api,worker', 'What this process does: api, worker or both.', checkRole),
  STINT_MANAGEMENT_PORT: integer(9443, [0, 65_535], 'Port of health and metrics (plain HTTP); 0 takes any free port.'),
  STINT_MANAGEMENT_HOST: text(
    '127.0.0.1',
    'Address of health and metrics, which ask for no credential: another one only in a network of your own, such as 0.0.0.0 in a pod.',
  ),
  STINT_OTHER_PORTS: list(
    '',
    'Ports of other processes of this service on this machine: no receiver may be there.',
    checkPort,
  ),
  STINT_LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error', 'silent'], 'info', 'Least level that is logged.'),
  STINT_DATABASE_CONNECTIONS_MAX: integer(
    6,
    [2, 200],
    'Connections of the API to the database; one organization holds two thirds at most.',
  ),
  STINT_DATABASE_STATEMENTS: oneOf(
    ['named', 'unnamed'],
    'named',
    'Unnamed behind a transaction-mode pooler that does not carry prepared statements, such as PgBouncer before 1.21.',
  ),
  STINT_RATE_LIMIT_REQUESTS: integer(
    6_000,
    [1, 1_000_000],
    'Requests that a credential and all it made may make per window.',
  ),
  STINT_RATE_LIMIT_WINDOW_S: integer(60, [1, 3_600], 'Seconds of the rate limit window.'),
  STINT_RATE_LIMIT_FAILURES: integer(
    300,
    [1, 1_000_000],
    'Refused credentials per window, beyond which an address is answered 429 for each further one.',
  ),
  STINT_RATE_LIMIT_OPEN: integer(
    600,
    [1, 1_000_000],
    'Requests without credential that an address may make of the tool server per window.',
  ),
  STINT_RATE_LIMIT_SCIM: integer(
    3_000,
    [1, 1_000_000],
    'Requests that a credential for provisioning (SCIM) may make per window.',
  ),
  STINT_GRANT_LIFETIME_DAYS: integer(
    365,
    [1, 3_650],
    'Days after which a user allows a connected app anew; for permissions given from now on.',
  ),
  STINT_MCP_ALLOWED_ORIGINS: list(
    '',
    'Origins whose pages may call the tool server, e.g. https://agent.example; our own and those of loopback always may.',
    checkOrigin,
  ),
  STINT_RETENTION_DELIVERIES: integer(30, [7, 365], 'Days that events, deliveries and attempts are kept.'),
  STINT_RETENTION_AUDIT: integer(
    2_557,
    [366, 36_525],
    'Days that entries of the audit log are kept, counted from when they were sealed; by default seven years.',
  ),
  STINT_REQUEST_LOG_PER_MINUTE: integer(
    300,
    [0, 100_000],
    'Requests that the request log keeps of one organization a minute in one process, of successes and of refusals each; all are counted.',
  ),
  STINT_SHUTDOWN_MS: integer(
    30_000,
    [1_000, 300_000],
    'Milliseconds that running requests and attempts get at shutdown.',
  ),
  WEBHOOK_RETRY_SCHEDULE: list(
    '1m,2m,4m,8m,16m,32m,1h,2h,4h,16h',
    'Delays after a failed attempt, 1 to 20, from 100ms to 24h.',
    checkDelay,
  ),
  WEBHOOK_DISABLE_AFTER: integer(
    10,
    [2, 1_000],
    'Consecutive failures after which the last failed attempt disables a subscription.',
  ),
  WEBHOOK_WARN_AFTER: integer(
    5,
    [1, 999],
    'Consecutive failures at which `webhook.failing` is emitted; less than WEBHOOK_DISABLE_AFTER.',
  ),
  WEBHOOK_TIMEOUT_MS: integer(30_000, [1_000, 30_000], 'Milliseconds a receiver has to answer.'),
  WEBHOOK_CONCURRENCY: integer(256, [8, 4_096], 'Attempts that run at once in one process.'),
  WEBHOOK_MAX_IN_FLIGHT: integer(8, [1, 64], 'Attempts of one subscription that run at once over all processes.'),
  WEBHOOK_RELEASE_RATE: integer(50, [1, 1_000], 'Held deliveries released per second and subscription.'),
  WEBHOOK_MAX_SUBSCRIPTIONS: integer(100, [1, 1_000], 'Subscriptions of one organization.'),
  WEBHOOK_ALLOWED_NETWORKS: list(
    '',
    'Private networks that receivers may be in, e.g. 127.0.0.0/8,10.0.0.0/8.',
    parseAllowedNetwork,
  ),
  WEBHOOK_ALLOWED_HOSTS: list('', 'Private host names that receivers may have.'),
  WEBHOOK_ALLOWED_PORTS: text('443,1024-65535', 'Ports that receivers may have.', parsePortRanges),
  WEBHOOK_CA_FILE: optional('Certificate authorities (PEM) that receivers may use beside the public ones.'),
  WEBHOOK_ALLOW_LOOPBACK_HTTP: flag(
    false,
    'Also send to receivers on this machine in plain HTTP, to try things out; not with STINT_BASE_URL or DATABASE_URL.',
  ),
  WEBHOOK_NOTIFY: flag(
    true,
    'Wake workers of other processes by database notifications; off behind a transaction-mode pooler.',
  ),
}

export type Config = Settings<typeof settingsTable>

/** Reads the settings: environment over the file in the working folder over default. Throws `SettingsError`. */
export function loadConfig(...from: Sources): Config {
  const { environment, file } = givenBy(...from)
  return readSettings(settingsTable, environment, file, faultsBetween)
}

/** Warnings about what is given to `loadConfig` and has no effect. */
export const configWarnings = (...from: Sources) => warningsOf(settingsTable, givenBy(...from))

/** The source of each value of `loadConfig`. */
export const configSources = (...from: Sources) => sourcesOf(settingsTable, givenBy(...from))

type Sources = Parameters<typeof givenBy>
function givenBy(environment: GivenSettings['environment'] = process.env, path = settingsFile()): GivenSettings {
  return { environment, ...(path !== null && { file: readSettingsFile(path), file_name: basename(path) }) }
}

/** The file of settings in the working folder; null where there is none. */
function settingsFile(): string | null {
  const [path, other] = ['stint.toml', 'stint.json'].map((name) => resolve(name)).filter((path) => existsSync(path))
  if (other) throw new SettingsError([`${path} and ${other} both hold settings: keep one of them`])
  return path ?? null
}

const delays_max = 20

/** Faults that no setting shows by itself. */
function faultsBetween(config: Partial<Config>): string[] {
  const { WEBHOOK_WARN_AFTER: warn_after = 0, WEBHOOK_DISABLE_AFTER: disable_after = Number.POSITIVE_INFINITY } = config
  const delays = config.WEBHOOK_RETRY_SCHEDULE?.length ?? 1
  const faults = [
    warn_after >= disable_after &&
      `WEBHOOK_WARN_AFTER ${warn_after} must be less than WEBHOOK_DISABLE_AFTER ${disable_after}`,
    (delays < 1 || delays > delays_max) &&
      `WEBHOOK_RETRY_SCHEDULE has ${delays} delays, which is not between 1 and ${delays_max}`,
    config.DATABASE_REPLICA_URL &&
      config.DATABASE_URL === null &&
      'DATABASE_REPLICA_URL is a standby of DATABASE_URL: give that too',
    (config.STINT_TLS_CERT_FILE === null) !== (config.STINT_TLS_KEY_FILE === null) &&
      'STINT_TLS_CERT_FILE and STINT_TLS_KEY_FILE are given together or not at all',
    (config.STINT_PORT ?? 0) > 0 &&
      config.STINT_PORT === config.STINT_MANAGEMENT_PORT &&
      `STINT_MANAGEMENT_PORT ${config.STINT_PORT} is STINT_PORT too: each has a port of its own`,
    config.STINT_ROLES?.length === 0 && 'STINT_ROLES names no role; known are api and worker',
    config.WEBHOOK_ALLOW_LOOPBACK_HTTP &&
      (config.STINT_BASE_URL || config.DATABASE_URL) &&
      'WEBHOOK_ALLOW_LOOPBACK_HTTP is for trying things out on one machine, not beside STINT_BASE_URL or DATABASE_URL',
  ]
  return faults.filter((fault) => typeof fault === 'string')
}

/** Milliseconds of a delay such as `500ms`, `30s`, `1m`, `16h`. */
export function delayOf(item: string): number {
  const match = /^(\d{1,9})(ms|s|m|h)$/.exec(item)
  const unit_ms = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[match?.[2] ?? ''] ?? Number.NaN
  return Number(match?.[1]) * unit_ms
}

function checkDelay(item: string): void {
  const delay_ms = delayOf(item)
  if (!(delay_ms >= 100 && delay_ms <= 86_400_000))
    throw new Error(`has the delay ${item}, which is not between 100ms and 24h`)
}

/** No message quotes it: it may hold a password. */
function checkDatabaseUrl(value: string): void {
  if (!/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value))
    throw new Error('must be an address such as postgres://user:password@host/name')
}

function checkRole(item: string): void {
  if (item !== 'api' && item !== 'worker') throw new Error(`names the role ${item}; known are api and worker`)
}

function checkPort(item: string): void {
  const port = Number(item)
  if (!(Number.isInteger(port) && port >= 1 && port <= 65_535)) throw new Error(`has ${item}, which is no port`)
}

function checkOrigin(item: string): void {
  const url = URL.parse(item)
  if (url?.origin === item && /^https?:$/.test(url.protocol)) return
  throw new Error(`has ${item}, which is no origin such as https://agent.example`)
}

/** A file of names and values, TOML or JSON by its name. Its text may hold a password, so no error quotes it. */
function readSettingsFile(path: string): Record<string, string> {
  const entries = Object.entries(path.endsWith('.toml') ? readToml(path) : readJsonObject(path))
  const isPlain = (value: unknown) => typeof value !== 'object' || value === null
  const wrong = entries.filter(([, value]) => ![value].flat().every(isPlain)).map(([name]) => name)
  if (wrong.length > 0)
    throw new SettingsError(wrong.map((name) => `${name} in ${path} must be a text, a number, true, false or a list`))
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value ?? '')]))
}

function readToml(path: string): object {
  try {
    return parseToml(readFileSync(path, 'utf8'))
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    throw new SettingsError([`${path} is not TOML: see line ${cause.line}, column ${cause.column}`])
  }
}

function readJsonObject(path: string): object {
  const read = readJson(readFileSync(path))
  const content = 'value' in read ? read.value : null
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content
  throw new SettingsError([`${path} must hold one JSON object of settings`])
}

/** The path of the secrets file: the setting, or beside the data. */
export function secretsFileOf({ STINT_SECRETS_FILE, STINT_DATA_DIR }: Config): string {
  return STINT_SECRETS_FILE ?? join(STINT_DATA_DIR, 'secrets.json')
}

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
  const origins = [origin, config.STINT_AUTH_URL ?? origin].map((url) => destinationOf(new URL(url)))
  return {
    allowed_networks: config.WEBHOOK_ALLOWED_NETWORKS,
    allowed_hosts: config.WEBHOOK_ALLOWED_HOSTS,
    allowed_ports: config.WEBHOOK_ALLOWED_PORTS,
    allow_loopback_http: config.WEBHOOK_ALLOW_LOOPBACK_HTTP,
    own_hosts: origins.flatMap(({ host }) => (host === 'localhost' ? [] : host)),
    own_ports: new Set([
      ...[config.STINT_PORT, config.STINT_MANAGEMENT_PORT, ...config.STINT_OTHER_PORTS.map(Number)],
      ...origins.flatMap(({ host, port }) => (host === 'localhost' ? port : [])),
    ]),
    extra_ca: config.WEBHOOK_CA_FILE === null ? null : readAuthorities(config.WEBHOOK_CA_FILE),
  }
}

/**
 * Not read with the settings, since a first start makes the authority that the file may be. node:tls would pass over a
 * text that holds no certificate, and every attempt would then fail for its own reason.
 */
function readAuthorities(path: string): string {
  try {
    const pem = readFileSync(path, 'utf8')
    new X509Certificate(pem)
    return pem
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause
    throw new SettingsError([`WEBHOOK_CA_FILE cannot be read as certificates in PEM form: ${why}`])
  }
}
