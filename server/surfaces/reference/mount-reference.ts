import type { FastifyInstance } from 'fastify'
import { problemsOf } from '#core/operation.ts'
import { declaredProblems, type ProblemDefinition } from '#core/problems.ts'
import type { Registry } from '#core/registry.ts'
import { type Html, html, sendPage, words } from './html-page.ts'
import { mountReferencePage } from './reference-page.ts'
import { scalar_folder } from './scalar.ts'

/** The facts that a page tells of a setting; never its value. */
export interface DescribedSetting {
  default: string
  meaning: string
  is_secret?: boolean
}

export interface ReferenceParts {
  registry: Registry
  settings: Readonly<Record<string, DescribedSetting>>
  /** Folder of the script of the API reference. */
  folder?: string
}

/** Pages for people, open to everyone: the API reference, the settings, and the page of each problem that its `type` leads to. */
export function mountReference(app: FastifyInstance, parts: ReferenceParts): void {
  const { registry, settings, folder = scalar_folder } = parts
  const problems = new Map(declaredProblems().map((problem) => [problem.code, problem]))

  mountReferencePage(app, folder)
  app.get('/docs/', (_, reply) => reply.redirect('/docs', 308))
  app.get('/docs/settings', (_, reply) => sendPage(reply, 'Settings', settingsContent(settings), '/docs/settings'))

  app.get('/docs/problems', (_, reply) => {
    const rows = [...problems.values()].map(
      ({ code, status, title }) =>
        html`<dt><a href="/docs/problems/${code}"><code>${code}</code></a> (${status})</dt><dd>${title}</dd>`,
    )
    return sendPage(
      reply,
      'Problems',
      html`<p>Every code that a refusal can carry.</p><dl>${rows}</dl>`,
      '/docs/problems',
    )
  })

  app.get<{ Params: { code: string } }>('/docs/problems/:code', ({ params }, reply) => {
    const problem = problems.get(params.code)
    if (!problem) return reply.callNotFound()
    return sendPage(reply, problem.title, problemContent(problem, operationsWith(problem, registry)), '/docs/problems')
  })
}

function settingsContent(settings: ReferenceParts['settings']): Html {
  const rows = Object.entries(settings).map(([name, { default: value, meaning, is_secret }]) => {
    const given = value === '' ? html`unset` : html`<code>${value}</code>`
    return html`<dt><code>${name}</code></dt><dd>${words(meaning)}${is_secret ? ' Secret.' : ''} Default: ${given}.</dd>`
  })
  return html`<p>What an operator sets in the environment, or in <code>stint.json</code> in the working folder. <code>NAME_FILE</code>
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
  return html`<ul>${found.map(({ id }) => html`<li><code>${id}</code></li>`)}</ul>`
}
