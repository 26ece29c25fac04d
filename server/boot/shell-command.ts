import { resolve } from 'node:path'
import { type Config, settingsTable } from './config.ts'

/** The operator's call of `stint` in another terminal, so that it works on this service's data and no other. */
export function stintCommand({ STINT_DATA_DIR }: Config): string {
  const data_dir = resolve(STINT_DATA_DIR)
  return data_dir === resolve(settingsTable.STINT_DATA_DIR.default)
    ? 'npx stint'
    : `STINT_DATA_DIR=${shellWord(data_dir)} npx stint`
}

/** One word for a shell. */
export function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
