import { type Html, html } from './html-page.ts'

/** A page, or a place on one, that the search finds. */
export interface Entry {
  kind: 'Operation' | 'Event' | 'Problem' | 'Scope' | 'Setting'
  /** As programs write it. */
  name: string
  words: string
  path: string
}

const found_max = 100
const query_characters_max = 100

/** Finds the entries that have all words of a question, those first whose name has them. */
export function search(entries: readonly Entry[], question: string): Entry[] {
  const asked = question.toLowerCase().slice(0, query_characters_max).split(/\s+/).filter(Boolean)
  if (asked.length === 0) return []
  const isIn = (text: string) => asked.every((word) => text.toLowerCase().includes(word))
  const found = entries.filter(({ name, words }) => isIn(`${name} ${words}`))
  return [...found.filter(({ name }) => isIn(name)), ...found.filter(({ name }) => !isIn(name))].slice(0, found_max)
}

/** The page of the search, which is a plain form: it needs no script. */
export function searchContent(entries: readonly Entry[], question: string): Html {
  const found = search(entries, question)
  const rows = found.map(
    ({ kind, name, words, path }) =>
      html`<li><a href="${path}"><code>${name}</code></a> <span class="kind">${kind}</span><br>${words}</li>`,
  )
  const count =
    found.length === 1 ? 'One place' : `${found.length === found_max ? 'The first ' : ''}${found.length} places`
  const told =
    found.length > 0
      ? html`<p role="status">${count}.</p><ul>${rows}</ul>`
      : html`<p role="status">Nothing has all of these words.</p>`
  return html`<form action="/docs/search" role="search">
<label for="q">Operations, events, problems, scopes and settings</label>
<input id="q" name="q" type="search" maxlength="${query_characters_max}" value="${question}"> <button>Search</button>
</form>
${question.trim() === '' ? html`` : told}`
}

/** The same places for a language model (llmstxt.org): one line each, with the way to the whole. */
export function llmsText(entries: readonly Entry[], origin: string): string {
  const sections = [...Map.groupBy(entries, ({ kind }) => kind)].map(([kind, own]) => {
    const lines = own.map(({ name, words, path }) => `- [${name}](${origin}${path}): ${words.replaceAll('\n', ' ')}`)
    return `## ${kind}s\n\n${lines.join('\n')}`
  })
  return `# Stint

> Workforce and payments platform: a REST API at ${origin}/rest/v2 with \`Authorization: Bearer <token>\`, webhooks, and a tool server
> for agents (Model Context Protocol) at ${origin}/mcp.

- [OpenAPI 3.1 document](${origin}/openapi.json): everything below in one document, with examples for curl and the client for TypeScript
- [Search](${origin}/docs/search?q=): finds operations, events, problems, scopes and settings by words

The command line \`stint\` has a command for every operation, under its id: \`contracts.list\` is \`stint contracts list\`; \`--json\` prints the answer,
\`--help\` behind any command its fields.

${sections.join('\n\n')}
`
}
