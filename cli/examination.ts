import { once } from 'node:events'
import { constants, existsSync } from 'node:fs'
import { access, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { hasCluster } from '@stint/embedded-postgres/data-folder.ts'
import { originOf, shellWord, stintCommand } from '#boot/addresses.ts'
import { type Config, egressSettings, secretsFileOf } from '#boot/config.ts'
import { openServerBeside } from '#boot/database-server.ts'
import { createLog } from '#core/log.ts'
import { type Database, openDatabase } from '#db/database.ts'
import { reasonOf, refuseDataDir } from '#db/make-folder.ts'
import { describe, schemaState } from '#db/migrate.ts'
import { serverFacts } from '#db/server-facts.ts'
import { anyAccount } from '#identity/account.store.ts'
import { faultOfSecrets } from '#operator/sealing-keys.ts'
import { openSecretsFile } from '#operator/secrets-file.ts'
import { servedHosts } from '#server/main.ts'
import { certificateFaults } from '#surfaces/https/certificate-watch.ts'
import { openTlsMaterial } from '#surfaces/https/tls-material.ts'
import { diskCheck } from '#surfaces/management/disk.ts'

/** One thing that a start needs, as it was found; a warning keeps no service from running. */
export interface Finding {
  part: string
  status: 'ok' | 'warning' | 'fault'
  told: string
}

const ok = (part: string, told: string): Finding => ({ part, status: 'ok', told })
const warning = (part: string, told: string): Finding => ({ part, status: 'warning', told })
const fault = (part: string, error: unknown): Finding => ({
  part,
  status: 'fault',
  told: error instanceof Error ? error.message : String(error),
})

/** Looks at everything that a start with these settings needs. Nothing is made, brought up to date or put right. */
export async function examine(config: Config): Promise<Finding[]> {
  const [outside, database] = await Promise.all([
    Promise.all([receiverRules(config), dataFolder(config), certificate(config), runningProcess(config)]),
    databaseOf(config),
  ])
  return [...outside, ...database]
}

async function receiverRules(config: Config): Promise<Finding> {
  try {
    egressSettings(config, originOf(config))
    return ok('settings', `valid; the service is reached at ${originOf(config)}`)
  } catch (error) {
    return fault('settings', error)
  }
}

async function dataFolder({ STINT_DATA_DIR }: Config): Promise<Finding> {
  const folder = resolve(STINT_DATA_DIR)
  if (!existsSync(folder)) return ok('data folder', `${folder} is not there yet: the first start makes it`)
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    return fault('data folder', `${folder} cannot be used: ${reasonOf(error)}`)
  }
  const found = await diskCheck(folder, Date.now)()
  if (found === null) return ok('data folder', `${folder} has room`)
  return typeof found === 'string' ? fault('data folder', found) : warning('data folder', found.warning)
}

async function certificate(config: Config): Promise<Finding> {
  const { STINT_DATA_DIR: data_dir, STINT_TLS_CERT_FILE, STINT_TLS_KEY_FILE } = config
  const hosts = [...new Set(servedHosts(config))]
  const made = join(data_dir, 'tls', 'cert.pem')
  if (STINT_TLS_CERT_FILE === null && !existsSync(made))
    return ok('certificate', 'the first start makes one, of a local authority: for others than you, give your own')
  try {
    const files = { cert_file: STINT_TLS_CERT_FILE ?? undefined, key_file: STINT_TLS_KEY_FILE ?? undefined }
    const served = STINT_TLS_CERT_FILE
      ? await openTlsMaterial({ data_dir, hosts, ...files, now: Date.now })
      : { cert: await readFile(made, 'utf8'), source: 'generated' as const }
    const faults = certificateFaults(served, hosts, Date.now())
    // The one that we made is made anew in time, and for other names.
    if (served.source === 'generated' || faults.length === 0) return ok('certificate', `for ${hosts.join(', ')}`)
    return warning('certificate', faults.join('; '))
  } catch (error) {
    return fault('certificate', error)
  }
}

const health_limit_ms = 5_000

/** The process of these settings, if it runs; otherwise whether one could listen. */
async function runningProcess(config: Config): Promise<Finding> {
  const { STINT_MANAGEMENT_HOST: listened } = config
  const host = listened === '0.0.0.0' || listened === '::' ? '127.0.0.1' : listened
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${config.STINT_MANAGEMENT_PORT}/health/ready`
  const answer = config.STINT_MANAGEMENT_PORT > 0 ? await healthAt(address) : null
  if (answer === null) return freePorts(config)
  if (typeof answer === 'string')
    return fault(
      'process',
      `${address} is not answered as a service of ours does (${answer}): is another program on the port of STINT_MANAGEMENT_PORT?`,
    )
  const told = (notes: Record<string, string | null>) =>
    Object.entries(notes).flatMap(([name, words]) => (words === null ? [] : [`${name}: ${words}`]))
  const [faults, warnings] = [told(answer.checks), told(answer.warnings)]
  if (faults.length > 0) return fault('process', `the service at ${address} is not ready: ${faults.join('; ')}`)
  return warnings.length > 0
    ? warning('process', `the service at ${address} is ready, but ${warnings.join('; ')}`)
    : ok('process', `the service at ${address} is ready`)
}

interface Health {
  checks: Record<string, string | null>
  warnings: Record<string, string>
}

/** Asks the management port; null where nobody listens, the reason where it is somebody else. */
async function healthAt(address: string): Promise<Health | string | null> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(health_limit_ms) })
    // The cast claims nothing: both members are looked for.
    const answer = (await response.json()) as Partial<Health>
    return answer.checks && answer.warnings ? { checks: answer.checks, warnings: answer.warnings } : 'other JSON'
  } catch (error) {
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException }
    return cause?.code === 'ECONNREFUSED' ? null : (cause?.message ?? message)
  }
}

async function freePorts(config: Config): Promise<Finding> {
  const wanted = [
    { name: 'STINT_PORT', port: config.STINT_PORT, host: config.STINT_HOST },
    { name: 'STINT_MANAGEMENT_PORT', port: config.STINT_MANAGEMENT_PORT, host: config.STINT_MANAGEMENT_HOST },
  ]
  for (const { name, port, host } of wanted) {
    try {
      const probe = createServer().listen(port, host)
      await once(probe, 'listening')
      probe.close()
      await once(probe, 'close')
    } catch (error) {
      return fault(
        'process',
        `none runs, and port ${port} of ${name} cannot be listened on: ${(error as Error).message}`,
      )
    }
  }
  return ok('process', 'none runs with these settings, and their ports are free')
}

async function databaseOf(config: Config): Promise<Finding[]> {
  const { DATABASE_URL, STINT_DATA_DIR } = config
  if (DATABASE_URL === null && !(await hasCluster(STINT_DATA_DIR)))
    return [warning('database', `there is none in ${resolve(STINT_DATA_DIR)} yet: the first \`stint serve\` makes it`)]
  try {
    // Not waited for: that it is not up is what the operator wants to hear.
    const server = await openServerBeside({ ...config, STINT_DATABASE_WAIT_S: 0 }, createLog('silent'))
    const database = openDatabase(server.connection, { connections_max: 2 })
    try {
      return await inDatabase(config, database)
    } finally {
      await database.close()
      await server.end()
    }
  } catch (error) {
    return [fault('database', refuseDataDir(config, error))]
  }
}

/** A clock further away than this puts events and signatures at times that their receivers doubt. */
const clock_ahead_max_ms = 2_000

async function inDatabase(config: Config, database: Database): Promise<Finding[]> {
  const isEmbedded = config.DATABASE_URL === null
  const { version, ahead_ms } = await serverFacts(database)
  const is_off = Math.abs(ahead_ms) > clock_ahead_max_ms
  const clock = `its clock is ${Math.abs(ahead_ms)} ms ${ahead_ms > 0 ? 'ahead of' : 'behind'} that of this machine`
  const state = await schemaState(database)
  const found = [
    ok('database', `PostgreSQL ${version}${isEmbedded ? ', embedded' : ''}`),
    ...(is_off ? [warning('clock', `${clock}: have both follow the same time server`)] : []),
  ]
  if (state.state === 'behind' && isEmbedded)
    return [...found, warning('schema', describe(state, 'the next start of the service applies them'))]
  if (state.state !== 'current') return [...found, fault('schema', describe(state)), await secretsOf(config, null)]
  const account = await database.transaction({ role: 'lookup', read_only: true }, anyAccount)
  return [
    ...found,
    ok('schema', `${describe(state)}; \`stint migrate verify\` compares all of it`),
    await secretsOf(config, database),
    account
      ? ok('accounts', 'somebody has one')
      : warning('accounts', `nobody has one yet: \`${stintCommand(config)} admin create --help\``),
  ]
}

/** The secrets file, and whether it opens what the database holds; that cannot be asked of another schema. */
async function secretsOf(config: Config, database: Database | null): Promise<Finding> {
  const path = resolve(secretsFileOf(config))
  try {
    const secrets = openSecretsFile(path, false)
    const closed = database && (await faultOfSecrets(database, secrets))
    if (closed) return fault('secrets', `${path}: ${closed}`)
    const isOpen = ((await stat(path)).mode & 0o077) !== 0 && process.platform !== 'win32'
    if (isOpen) return warning('secrets', `others than you can read ${path}: chmod 600 ${shellWord(path)}`)
    return ok('secrets', `${path} ${database ? 'opens what is sealed' : 'is there'}; keep a copy of it elsewhere`)
  } catch (error) {
    return fault('secrets', error)
  }
}
