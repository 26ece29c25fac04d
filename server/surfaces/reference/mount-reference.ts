import type { FastifyInstance } from 'fastify'
import { declaredProblems, type ProblemDefinition } from '#core/problems/problem.ts'
import { notFound } from '#core/problems/problems.ts'
import { problemsOf } from '#core/problems/problems-of.ts'
import type { Registry } from '#core/registry.ts'
import { type Html, html, sendPage, words } from './html-page.ts'

/** Pages for people, open to everyone: an index, and the page of each problem code that the `type` of a problem leads to. */
export function mountReference(app: FastifyInstance, registry: Registry): void {
  const problems = new Map(declaredProblems().map((problem) => [problem.code, problem]))

  app.get('/docs', (_, reply) => sendPage(reply, 'API reference', index))

  app.get('/docs/problems', (_, reply) => {
    const rows = [...problems.values()].map(
      ({ code, status, title }) =>
        html`<dt><a href="/docs/problems/${code}"><code>${code}</code></a> (${status})</dt><dd>${title}</dd>`,
    )
    return sendPage(reply, 'Problems', html`<p>Every code that a refusal can carry.</p><dl>${rows}</dl>`)
  })

  app.get<{ Params: { code: string } }>('/docs/problems/:code', ({ params }, reply) => {
    const problem = problems.get(params.code)
    if (!problem) throw notFound('There is no problem of this code.')
    return sendPage(reply, problem.title, problemContent(problem, operationsWith(problem, registry)))
  })
}

const index = html`<p>Every operation and event of this service is described in one document.</p>
<ul>
<li><a href="/openapi.json">OpenAPI 3.1 document</a></li>
<li><a href="/docs/problems">Problems: what a refusal means and what to do about it</a></li>
<li><a href="/.well-known/oauth-protected-resource/rest/v2">Protected resource metadata of the REST API</a></li>
</ul>`

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
