import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { problemsOf } from '#core/operation.ts'
import { declaredProblems, type ProblemDefinition } from '#core/problems.ts'
import type { Registry } from '#core/registry.ts'
import { type EncodedFile, mountAssets, readEncoded } from '../http-server.ts'
import { eventsContent, plain, type RightsWords, scopesContent } from './catalogue-pages.ts'
import { bar_style, type Html, html, scriptPolicy, sendDocument, sendPage, words } from './html-page.ts'
import { linkTo, operationContent, operationsContent, pathOfEvent, pathOfOperation } from './operation-pages.ts'
import { type Entry, llmsText, searchContent } from './search-page.ts'

/** The facts that a page tells of a setting; never its value. */
export interface DescribedSetting {
  default: string
  meaning: string
  is_secret?: boolean
}

export interface ReferenceParts {
  registry: Registry
  settings: Readonly<Record<string, DescribedSetting>>
  rights: RightsWords
  /** Public origin, e.g. `https://stint.example`. */
  origin: string
  /** Folder of the script of the API reference. */
  folder?: string
}

/** Pages for people, open to everyone: the API reference, the settings, and the page of each problem that its `type` leads to. */
export function mountReference(app: FastifyInstance, parts: ReferenceParts): void {
  const { registry, settings, rights, origin, folder = scalar_folder } = parts
  const definitions = registry.operations.map(({ definition }) => definition)
  const entries = entriesOf(parts)
  const problems = new Map(declaredProblems().map((problem) => [problem.code, problem]))

  mountReferencePage(app, folder)
  app.get('/docs/', (_, reply) => reply.redirect('/docs', 308))
  app.get('/docs/settings', (_, reply) => sendPage(reply, 'Settings', settingsContent(settings), '/docs/settings'))

  const pages: [path: string, title: string, content: () => Html][] = [
    ['/docs/operations', 'Operations', () => operationsContent(definitions)],
    ['/docs/events', 'Events', () => eventsContent(registry)],
    ['/docs/scopes', 'Scopes', () => scopesContent(definitions, rights)],
  ]
  for (const [path, title, content] of pages) app.get(path, (_, reply) => sendPage(reply, title, content(), path))

  app.get<{ Params: { id: string } }>('/docs/operations/:id', ({ params }, reply) => {
    const operation = definitions.find(({ id }) => id === params.id)
    if (!operation) return reply.callNotFound()
    return sendPage(reply, operation.summary, operationContent(operation), '/docs/operations')
  })

  app.get<{ Querystring: { q?: string | string[] } }>('/docs/search', ({ query }, reply) =>
    sendPage(reply, 'Search', searchContent(entries, [query.q ?? ''].flat().join(' ')), '/docs/search'),
  )

  app.get('/llms.txt', (_, reply) => {
    reply.headers({ 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' })
    return reply.type('text/plain; charset=utf-8').send(llmsText(entries, origin))
  })

  app.get('/docs/problems', (_, reply) => {
    const rows = [...problems.values()].map(
      ({ code, status, title }) =>
        html`<dt><a href="/docs/problems/${code}"><code>${code}</code></a> (${status})</dt><dd>${title}</dd>`,
    )
    const content = html`<p>Every code that a refusal can carry.</p><dl>${rows}</dl>`
    return sendPage(reply, 'Problems', content, '/docs/problems')
  })

  app.get<{ Params: { code: string } }>('/docs/problems/:code', ({ params }, reply) => {
    const problem = problems.get(params.code)
    if (!problem) return reply.callNotFound()
    return sendPage(reply, problem.title, problemContent(problem, operationsWith(problem, registry)), '/docs/problems')
  })
}

/** Digest of the one script that is served and that browsers run: `@scalar/fastify-api-reference` 1.72.1. */
export const scalar_sha256 = 'vwkQBr3Dr2Bnr3fC9TSBLj5jPpSpTocTgGn1cPM7diw='

/** The folder where `scripts/build-reference.ts` leaves the script, beside it what it compressed. */
export const scalar_folder = fileURLToPath(new URL('../../../node_modules/.cache/stint/reference', import.meta.url))
export const scalar_file = 'scalar.js'

/** As the console's, but the script writes styles into the page, brings its fonts in them, and submits no form. */
const policy = scriptPolicy({ styles: "'self' 'unsafe-inline'", fonts: "'self' data:", forms: "'none'" })

const style = `${bar_style}
:root { --scalar-custom-header-height: 3rem; }
body { margin: 0; }
.plain { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; }
`

/** The content of the page until the script has drawn over it, and for good where the document cannot be loaded. */
const body = html`<div id="reference"><main class="plain">
<h1>API reference</h1>
<p>The reference is drawn from the OpenAPI document, which tools and generators read as it is:</p>
<ul>
<li><a href="/openapi.json">OpenAPI 3.1 document as JSON</a></li>
<li><a href="/openapi.yaml">OpenAPI 3.1 document as YAML</a></li>
</ul>
</main></div>`

/** The API reference at `/docs`, with its two scripts under names that hold their digests. */
function mountReferencePage(app: FastifyInstance, folder: string): void {
  // Read at the first request: a start does not wait for 6 MB that it may never need.
  let scripts: ReadonlyMap<string, EncodedFile> | undefined
  const open = () => (scripts ??= readScripts(folder))
  app.get('/docs', (_, reply) => {
    reply.headers({
      'Content-Security-Policy': policy,
      'X-Frame-Options': 'DENY',
      'Cache-Control': 'no-cache',
      'Cross-Origin-Opener-Policy': 'same-origin',
    })
    const [scalar, opener] = [...open().keys()]
    const head = opener
      ? html`<script defer src="/docs/assets/${scalar ?? ''}" integrity="sha256-${scalar_sha256}"></script>
<script type="module" src="/docs/assets/${opener}"></script>`
      : html``
    return sendDocument(reply, { title: 'API reference', style, at: '/docs', head, body })
  })
  mountAssets(app, '/docs/assets', open)
}

/** The script of the API reference and the one that opens it; none where the first was not copied. */
function readScripts(folder: string): ReadonlyMap<string, EncodedFile> {
  const scalar = readEncoded(join(folder, scalar_file))
  if (!scalar) return new Map()
  const plain = readFileSync(new URL('./open-reference.js', import.meta.url))
  return new Map([scalar, { ...scalar, plain, br: null, gzip: null }].map((file) => [nameOf(file), file]))
}

const nameOf = ({ plain }: EncodedFile) => `${createHash('sha256').update(plain).digest('hex').slice(0, 16)}.js`

function settingsContent(settings: ReferenceParts['settings']): Html {
  const rows = Object.entries(settings).map(([name, { default: value, meaning, is_secret }]) => {
    const given = value === '' ? html`unset` : html`<code>${value}</code>`
    return html`<dt id="${name}"><code>${name}</code></dt><dd>${words(meaning)}${is_secret ? ' Secret.' : ''} Default: ${given}.</dd>`
  })
  return html`<p>What an operator sets in the environment, or in <code>stint.toml</code> or <code>stint.json</code> in the working folder. <code>NAME_FILE</code>
names a file whose content is the value of <code>NAME</code>. <code>stint config print</code> shows what is in force.</p>
<dl>${rows}</dl>`
}

function problemContent({ code, status, advice }: ProblemDefinition, operations: Html) {
  return html`<dl>
<dt>Code</dt><dd><code>${code}</code></dd>
<dt>Status</dt><dd>${status}</dd>
<dt>What to do</dt><dd>${words(advice)}</dd>
<dt>Answered by</dt><dd>${operations}</dd>
</dl>
<p><a href="/docs/problems">All problems</a></p>`
}

function operationsWith(problem: ProblemDefinition, { operations }: Registry): Html {
  const definitions = operations.map(({ definition }) => definition)
  const found = definitions.filter((one) => problemsOf(one).some((type) => type.definition === problem))
  if (found.length === definitions.length) return html`Every operation.`
  if (found.length === 0) return html`Requests that reach no operation.`
  return html`<ul>${found.map(({ id }) => html`<li>${linkTo(pathOfOperation(id), id)}</li>`)}</ul>`
}

/** Lists all places that the search knows, in the order of their kinds. */
function entriesOf({ registry, settings, rights }: ReferenceParts): Entry[] {
  const of = <One>(kind: Entry['kind'], all: Iterable<One>, entryOf: (one: One) => Omit<Entry, 'kind'>): Entry[] =>
    [...all].map((one) => ({ kind, ...entryOf(one) }))
  return [
    ...of('Operation', registry.operations, ({ definition: { id, summary, method, path } }) => ({
      ...{ name: id, path: pathOfOperation(id) },
      words: `${summary}. ${method} ${path}`,
    })),
    ...of('Event', registry.events.values(), ({ type: { type, summary } }) => ({
      ...{ name: type, words: summary, path: pathOfEvent(type) },
    })),
    ...of('Problem', declaredProblems(), ({ code, status, title }) => ({
      ...{ name: code, words: `${title} (${status}).`, path: `/docs/problems/${code}` },
    })),
    ...of('Scope', Object.entries(rights.scopes), ([name, words]) => ({
      ...{ name, words: `${plain(words)}.`, path: `/docs/scopes#${name}` },
    })),
    ...of('Setting', Object.entries(settings), ([name, { meaning }]) => ({
      ...{ name, words: meaning, path: `/docs/settings#${name}` },
    })),
  ]
}
