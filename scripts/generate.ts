import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { events, operations } from '#boot/operations.ts'
import { createRegistry } from '#core/registry.ts'
import { toolsOf } from '#surfaces/mcp/tool.ts'
import { openApiDocument } from '#surfaces/openapi/openapi-document.ts'
import about from '../package.json' with { type: 'json' }
import { eventsPage } from './reference/events-page.ts'
import { operationsPage } from './reference/operations-page.ts'
import { problemsPage } from './reference/problems-page.ts'
import { settingsPage } from './reference/settings-page.ts'

const folder = new URL('../docs/reference/', import.meta.url)

const notice = '<!-- Made by `npm run generate`; edit the definitions, not this page. -->'

/** Every generated file of docs/reference with its text. */
export function generate(): Map<string, string> {
  const registry = createRegistry(operations, events)
  const origin = 'https://stint.example'
  const document = openApiDocument(registry, { origin, auth_url: origin, version: about.version })
  const pages = {
    'operations.md': operationsPage(document),
    'events.md': eventsPage(registry, document),
    'problems.md': problemsPage(),
    'settings.md': settingsPage(),
  }
  const tools = [...toolsOf(registry).values()].map(({ listed }) => JSON.parse(listed))
  return new Map([
    ['openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    ['tools.json', `${JSON.stringify({ tools }, null, 2)}\n`],
    ...Object.entries(pages).map(([name, text]): [string, string] => [name, `${notice}\n\n${text}\n`]),
  ])
}

/** Names of the generated files that differ from what is on disk. */
export async function staleFiles(): Promise<string[]> {
  const checked = await Promise.all(
    [...generate()].map(async ([name, text]) => {
      // A file that is not there is stale, whatever kept it from being read.
      const found = await readFile(new URL(name, folder), 'utf8').catch(() => null)
      return found === text ? [] : [`docs/reference/${name}`]
    }),
  )
  return checked.flat()
}

async function write(): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, text] of generate()) await writeFile(new URL(name, folder), text)
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    const stale = await staleFiles()
    for (const name of stale) console.error(`${name} is stale: run npm run generate`)
    process.exitCode = stale.length > 0 ? 1 : 0
  } else {
    await write()
  }
}
