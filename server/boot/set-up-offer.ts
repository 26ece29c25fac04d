import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '#db/database.ts'
import { makeFolder } from '#db/make-folder.ts'
import { anyAccount, createSetUpLink, lockAccounts } from '#identity/account.store.ts'
import { writeFileAtomically } from '#surfaces/https/write-file-atomically.ts'
import { setUpAddress } from './addresses.ts'
import type { Config } from './config.ts'

/**
 * While nobody has an account: writes a fresh one-time link for the first owner into a file that only the operator can
 * read, and answers its path. The secret is never printed or logged, since logs are read by more people than files.
 */
export async function offerSetUp(config: Config, database: Database): Promise<string | null> {
  const path = join(config.STINT_DATA_DIR, 'set-up-link')
  const secret = await database.transaction({ role: 'lookup' }, async (tx) => {
    await lockAccounts(tx)
    return (await anyAccount(tx)) ? null : createSetUpLink(tx, null)
  })
  if (secret === null) {
    await rm(path, { force: true })
    return null
  }
  makeFolder(config.STINT_DATA_DIR)
  await writeFileAtomically(path, `${setUpAddress(config, secret)}\n`, 0o600)
  return path
}
