import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { asOwner } from '@stint/embedded-postgres'
import type pg from 'pg'
import { type Config, secretsFileOf } from '#boot/config.ts'
import { openDatabaseServer, openServerBeside } from '#boot/database-server.ts'
import { createLog } from '#core/log.ts'
import { reasonOf, refuseDataDir } from '#db/make-folder.ts'
import { readMigrations } from '#db/migrate.ts'
import { reachDatabase } from '#db/reach-database.ts'
import { createBackup } from '#operator/backup/create-backup.ts'
import { loadBackup, type OpenBackup, openBackup } from '#operator/backup/load-backup.ts'
import { openSecretsFile } from '#operator/secrets-file.ts'
import about from '../../package.json' with { type: 'json' }
import { type Command, exitStatus, print, UsageError } from '../command.ts'
import { progressBar } from '../progress-bar.ts'
import { withScratchDatabase } from '../scratch-database.ts'
import { commandSettings, tell } from '../settings.ts'
import { untilStopped } from '../stop-requests.ts'

export const backupCreate: Command = {
  usage: '[file]',
  words_max: 1,
  about: `Beside a running service: everything is of one moment, and nothing waits for it. DATABASE_URL is that of the owner of the
tables, or of a login that was granted the role stint_backup. The archive is a tar file that only you can read; it is
never written over another file, and a backup that fails leaves none.

Keep as well, apart from the archive: the secrets file, without which what is stored sealed stays closed (signing keys of
webhooks, second factors), the settings, and the certificate.`,
  examples: ['backup create', 'backup create /backups/monday.tar --json'],
  async run(flags, [word]) {
    const config = commandSettings()
    const path = resolve(word ?? `stint-backup-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar`)
    if (existsSync(path)) throw new UsageError(`${path} exists; a backup is never written over another file`)
    const made = await untilStopped((signal) =>
      withReader(config, async (connection) => {
        const progress = progressBar('backup')
        try {
          return await createBackup({ connection, path, release: about.version, signal, progress: progress.show })
        } finally {
          progress.end()
        }
      }),
    ).catch(explainFile(`${path} cannot be written`))
    const { created_at, rows, tables, bytes, sealing_key_ids } = made
    print(flags, made, [
      `made ${path}: ${rows} rows of ${tables} tables, ${sizeOf(bytes)}, as of ${created_at}`,
      `It does not hold the secrets file ${secretsFileOf(config)} (${keysOf(sealing_key_ids)}): keep a copy of it elsewhere.`,
      'Check the archive with `stint backup verify`.',
    ])
    return exitStatus.ok
  },
}

export const backupVerify: Command = {
  usage: '<file>',
  words_max: 1,
  about: `Checks every byte of the archive, restores it into a scratch database and compares the rows of every table. The scratch
database is an embedded one in the folder for temporary files (TMPDIR), which needs room for it; nothing of a service or its
settings is needed or touched.`,
  examples: ['backup verify /backups/monday.tar'],
  exits: {
    [exitStatus.failed]: 'the archive is damaged, of a newer release or no backup; or the check could not be made',
  },
  async run(flags, [word]) {
    const backup = await openGiven(word)
    try {
      await untilStopped((signal) =>
        withScratchDatabase((connection) => loadWithBar(backup, 'verify', { connection, signal })),
      )
    } finally {
      await backup.archive.close()
    }
    const { created_at, rows, tables } = backup.about
    print(flags, { verified: true, ...backup.about }, [
      `whole: ${rows} rows of ${tables} tables, as of ${created_at}, are restored as they were`,
    ])
    return exitStatus.ok
  },
}

export const backupRestore: Command = {
  usage: '<file>',
  words_max: 1,
  about: `Into an empty database only: that of DATABASE_URL (as the user who is to own the tables), or a new one in STINT_DATA_DIR. All or
nothing: what fails leaves the database empty. The rows of every table are compared with the backup before anybody sees
them. Then put the secrets file in its place and start the service.`,
  examples: ['backup restore /backups/monday.tar'],
  async run(flags, [word]) {
    const config = commandSettings()
    const backup = await openGiven(word)
    try {
      await untilStopped((signal) =>
        withOwner(config, (connection) => loadWithBar(backup, 'restore', { connection, signal })),
      )
    } finally {
      await backup.archive.close()
    }
    const lacking_key_ids = lackingKeys(config, backup.about.sealing_key_ids)
    const pending = await pendingOf(backup.about.schema_version)
    const { created_at, rows, tables } = backup.about
    print(flags, { restored: true, ...backup.about, lacking_key_ids, pending_migrations: pending }, [
      `restored ${rows} rows of ${tables} tables, as of ${created_at}; each table was compared with the backup`,
      lacking_key_ids.length === 0
        ? `The secrets file ${secretsFileOf(config)} has every key.`
        : `Put the secrets file in its place before the start: ${secretsFileOf(config)} lacks ${keysOf(lacking_key_ids)}.`,
      ...(pending > 0 && config.DATABASE_URL
        ? [`It has the schema of an earlier release: run \`stint migrate up\` (${pending} migrations).`]
        : []),
    ])
    return exitStatus.ok
  },
}

async function openGiven(word: string | undefined): Promise<OpenBackup> {
  if (!word) throw new UsageError('name the archive')
  const path = resolve(word)
  return openBackup(path).catch(explainFile(`${path} cannot be used`))
}

function explainFile(what: string): (error: unknown) => never {
  return (error) => {
    const is_of_file = error instanceof Error && 'syscall' in error && 'code' in error && 'errno' in error
    throw is_of_file ? new Error(`${what}: ${reasonOf(error)}`, { cause: error }) : error
  }
}

async function loadWithBar(
  backup: OpenBackup,
  name: string,
  options: { connection: pg.PoolConfig; signal: AbortSignal },
) {
  const progress = progressBar(name)
  try {
    await loadBackup(backup, { ...options, progress: progress.show })
  } finally {
    progress.end()
  }
}

/** As whoever may read every row. */
async function withReader<Result>(
  config: Config,
  work: (connection: pg.PoolConfig) => Promise<Result>,
): Promise<Result> {
  const { DATABASE_URL: connectionString, STINT_DATABASE_STATEMENTS: statements, STINT_DATABASE_WAIT_S } = config
  if (connectionString !== null) {
    await reachDatabase(connectionString, {
      purpose: 'back up',
      statements,
      wait_ms: STINT_DATABASE_WAIT_S * 1_000,
      tell,
    })
    return work({ connectionString })
  }
  const server = await openServerBeside(config, createLog('warn', process.stderr), { tell }).catch((error: unknown) => {
    throw refuseDataDir(config, error)
  })
  try {
    return await work(asOwner(server.connection))
  } finally {
    await server.end()
  }
}

/** As whoever is to own the tables; on the embedded database this process alone holds the server. */
async function withOwner<Result>(
  config: Config,
  work: (connection: pg.PoolConfig) => Promise<Result>,
): Promise<Result> {
  const { DATABASE_URL: connectionString, STINT_DATABASE_STATEMENTS: statements, STINT_DATABASE_WAIT_S } = config
  if (connectionString !== null) {
    await reachDatabase(connectionString, {
      purpose: 'migrate',
      statements,
      wait_ms: STINT_DATABASE_WAIT_S * 1_000,
      tell,
    })
    return work({ connectionString })
  }
  const server = await openDatabaseServer(config, createLog('warn', process.stderr), { tell }).catch(
    (error: unknown) => {
      throw refuseDataDir(config, error)
    },
  )
  try {
    return await work(server.owner ?? server.connection)
  } finally {
    await server.end()
  }
}

/** Keys that the restored rows may be sealed with and that the secrets file has not. */
function lackingKeys(config: Config, ids: readonly string[]): string[] {
  const path = secretsFileOf(config)
  const held = existsSync(path) ? openSecretsFile(path, false).sealing_keys.map(({ id }) => id) : []
  return ids.filter((id) => !held.includes(id))
}

async function pendingOf(schema_version: number): Promise<number> {
  return (await readMigrations()).filter(({ version }) => version > schema_version).length
}

const keysOf = (ids: readonly string[]) => (ids.length === 0 ? 'no sealing key' : `sealing key ${ids.join(', ')}`)

function sizeOf(bytes: number): string {
  const mib = bytes / 2 ** 20
  return mib < 1 ? `${Math.ceil(bytes / 2 ** 10)} KiB` : `${mib.toFixed(mib < 100 ? 1 : 0)} MiB`
}
