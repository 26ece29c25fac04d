import { settingsTable } from '#boot/config.ts'
import type { Setting } from '#boot/settings.ts'
import { table } from './markdown.ts'

/** Every setting with its default and meaning, as Markdown. */
export function settingsPage(): string {
  const settings: Record<string, Setting<unknown>> = settingsTable
  const rows = Object.entries(settings).map(([name, { default: value, meaning, is_secret }]) => [
    `\`${name}\``,
    value === '' ? 'unset' : `\`${value}\``,
    `${meaning}${is_secret ? ' Secret.' : ''}`,
  ])
  return [
    '# Settings',
    'Environment over file (`stint.toml` or `stint.json` in the working folder) over default. `NAME_FILE` names a file whose content is the value of `NAME`. A malformed value stops the start with every fault listed. An unknown name that begins with `STINT_` or `WEBHOOK_` is ignored with a warning that names the nearest known one; `STINT_TOKEN` and `STINT_URL` belong to clients, and what Kubernetes sets for a service of such a name (`STINT_PORT=tcp://…`) is ignored with one warning. `stint config print` shows every value in force and where it comes from.',
    table(['Setting', 'Default', 'Meaning'], rows),
  ].join('\n\n')
}
