import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { events, operations } from '#boot/operations.ts'
import { createRegistry } from '#core/registry.ts'
import { toolsOf } from '#surfaces/mcp/tool.ts'
import { openApiDocument } from '#surfaces/openapi/openapi-document.ts'
import about from '../package.json' with { type: 'json' }
import { commandsPage } from './reference/commands-page.ts'
import { eventsPage } from './reference/events-page.ts'
import { operationsPage } from './reference/operations-page.ts'
import { problemsPage } from './reference/problems-page.ts'
import { settingsPage } from './reference/settings-page.ts'
import { sdkFiles } from './sdk/sdk-files.ts'

const root = new URL('../', import.meta.url)

/** They hold nothing but generated files. */
const folders = ['docs/reference/', 'sdk/src/generated/']

const notice = '<!-- Made by `npm run generate`; edit the definitions, not this page. -->'

/**
 * Every generated file with its text: the reference, and the types of the client. The OpenAPI document, whole at
 * `/openapi.json` of the service, is in parts here, so that a change of one noun shows in that noun's file.
 */
export async function generate(): Promise<Map<string, string>> {
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
  const client = sdkFiles(document)
  const reference = [
    ...jsonFiles({ 'tools.json': { tools }, ...partsOf(document) }),
    ...Object.entries(pages).map(([name, text]) => [name, noted(text)] as const),
    // Last: whatever the commands load declares problems that are no answers of the API.
    ['commands.md', noted(await commandsPage())] as const,
  ]
  return new Map([...inFolder('docs/reference/', reference), ...inFolder('sdk/src/generated/', client)])
}

const noted = (text: string) => `${notice}\n\n${text}\n`

function inFolder(folder: string, files: Iterable<readonly [string, string]>): [string, string][] {
  return [...files].map(([name, text]) => [`${folder}${name}`, text])
}

type Files = Record<string, object>

function jsonFiles(files: Files): [string, string][] {
  return Object.entries(files).map(([name, content]) => [name, `${JSON.stringify(content, null, 2)}\n`])
}

function partsOf({ paths, webhooks, components, ...head }: ReturnType<typeof openApiDocument>): Files {
  return {
    'openapi/document.json': head,
    'openapi/components.json': { components },
    // `/contracts/{contract_id}` goes to contracts, `contract.amended` to events-contract.
    ...grouped('paths', paths as Files, (path) => path.split('/')[1] ?? path),
    ...grouped('webhooks', webhooks as Files, (type) => `events-${type.split('.')[0]}`),
  }
}

function grouped(member: string, entries: Files, nounOf: (key: string) => string): Files {
  const nouns = Map.groupBy(Object.entries(entries), ([key]) => nounOf(key))
  return Object.fromEntries(
    [...nouns].map(([noun, own]) => [`openapi/${noun}.json`, { [member]: Object.fromEntries(own) }]),
  )
}

/** Names of the generated files that differ from what is on disk, and of files beside them that are not generated. */
export async function staleFiles(): Promise<string[]> {
  const generated = await generate()
  const found = (await Promise.all(folders.map(filesIn))).flat()
  const checked = await Promise.all(
    [...generated].map(async ([name, text]) => {
      // A file that is not there is stale, whatever kept it from being read.
      const found = await readFile(new URL(name, root), 'utf8').catch(() => null)
      return found === text ? [] : [name]
    }),
  )
  return [...checked.flat(), ...found.filter((name) => !generated.has(name))]
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(new URL(folder, root), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(fileURLToPath(root), join(parentPath, name)))
}

async function write(): Promise<void> {
  const generated = await generate()
  for (const folder of folders) await rm(new URL(folder, root), { recursive: true, force: true })
  for (const [name, text] of generated) {
    const path = new URL(name, root)
    await mkdir(new URL('.', path), { recursive: true })
    await writeFile(path, text)
  }
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
