import type { Logger } from 'pino'
import { type Database, sql } from '#db/database.ts'
import { DatabaseUnavailable } from '#db/errors.ts'

const flush_after_ms = 1_000
const noted_max = 10_000

interface TokenUse {
  organization_id: string
  id: string
  address: string | null
}

export interface TokenUses {
  note(organization_id: string, id: string, address: string | null): void
  /** Resolves when everything noted so far is written, or cannot be. */
  flush(): Promise<void>
}

/**
 * Writes when and from where tokens were last used, at most once a minute per token. Outside any request's transaction: a
 * list of contracts never waits for it, and parallel requests never queue on one token's row.
 */
export function createTokenUses(database: Database, log: Logger): TokenUses {
  const noted = new Map<string, TokenUse>()
  let timer: NodeJS.Timeout | undefined

  let writing: Promise<void> = Promise.resolve()

  const writeAll = async (uses: readonly TokenUse[]) => {
    for (const use of uses) {
      try {
        await write(database, use)
      } catch (err) {
        log.warn({ err }, 'token_use_lost')
        // The others would wait for the database one after the other, and the next request notes its token again.
        if (err instanceof DatabaseUnavailable) return
      }
    }
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const uses = [...noted.values()]
    noted.clear()
    writing = writing.then(() => writeAll(uses))
    return writing
  }
  return {
    note(organization_id, id, address) {
      if (noted.size >= noted_max) return
      noted.set(id, { organization_id, id, address })
      timer ??= setTimeout(() => void flush(), flush_after_ms).unref()
    },
    flush,
  }
}

async function write(database: Database, { organization_id, id, address }: TokenUse): Promise<void> {
  await database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.run(sql`
      update access_tokens set last_used_at = app_now(), last_used_address = ${address}
      where organization_id = ${organization_id} and id = ${id}
        and (last_used_at is null or last_used_at < app_now() - interval '1 minute')`),
  )
}
