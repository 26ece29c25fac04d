import { isQuery, type Operation, pathFields, problemsOf } from '#core/operation.ts'
import { curlExample, sdkExample } from '../openapi/call-examples.ts'
import type { Json } from '../openapi/components.ts'
import { bodySchema, tagOf } from '../openapi/operation-object.ts'
import { type FieldRow, fieldRows, notesOf, typeWords } from '../openapi/schema-words.ts'
import { type Html, html, inLine, words } from './html-page.ts'

export const pathOfOperation = (id: string) => `/docs/operations/${id}`
export const pathOfEvent = (type: string) => `/docs/events#${type}`

export const linkTo = (path: string, name: string) => html`<a href="${path}"><code>${name}</code></a>`

/** All operations by the first word of their paths. */
export function operationsContent(operations: readonly Operation[]): Html {
  const groups = [...Map.groupBy(operations, tagOf)].sort(([a], [b]) => (a < b ? -1 : 1))
  const sections = groups.map(([tag, own]) => {
    const rows = own.map(({ id, summary }) => html`<li>${linkTo(pathOfOperation(id), id)}: ${summary}</li>`)
    return html`<h2 id="${tag}">${tag}</h2><ul>${rows}</ul>`
  })
  return html`<p>Every operation with its fields, what it asks for and what it can refuse. In <a href="/docs">the API reference</a>
they can be tried with a token.</p>${sections}`
}

/** One operation, whole, without a script. */
export function operationContent(operation: Operation): Html {
  const { description } = operation
  return html`${description ? html`<p>${words(description)}</p>` : html``}
<dl>${factsOf(operation).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
<h2>Example</h2>
<h3>curl</h3>
${code(curlExample(operation), 'curl')}
<h3>Client for TypeScript</h3>
${code(sdkExample(operation), 'client for TypeScript')}
${fieldList('Input', inputRows(operation))}
${operation.file ? html`<h2>Answer</h2><p>A file: ${operation.file.media_type}</p>` : fieldList('Answer', outputRows(operation))}
<p><a href="/docs/operations">All operations</a></p>`
}

/** A text that is reached by keyboard, since it may be wider than the page. */
export const code = (text: string, label: string): Html =>
  html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`

function factsOf(operation: Operation): [name: string, value: Html][] {
  const { method, path, scopes, scopes_for_others = [], roles, tool, emits = [], stream } = operation
  const facts: [name: string, value: Html | null][] = [
    ['Request', html`<code>${method} /rest/v2${path}</code>`],
    ['Scopes', scopesOf(scopes, scopes_for_others)],
    ['Roles', roles ? html`${roles.join(', ')}` : null],
    ['Tool', tool ? html`<code>${tool.name}</code>` : null],
    ['Can be followed', stream ? html`with <code>Accept: text/event-stream</code>` : null],
    ['Tells', emits.length > 0 ? inLine(emits.map(({ type }) => linkTo(pathOfEvent(type), type))) : null],
    [
      'Refusals',
      inLine(
        problemsOf(operation).map(({ definition }) => linkTo(`/docs/problems/${definition.code}`, definition.code)),
      ),
    ],
  ]
  return facts.flatMap(([name, value]) => (value ? [[name, value]] : []))
}

function scopesOf(scopes: readonly string[], for_others: readonly string[]): Html {
  const links = (names: readonly string[]) => inLine(names.map((name) => linkTo(`/docs/scopes#${name}`, name)))
  if (scopes.length > 0) return html`${scopes.length > 1 ? 'one of ' : ''}${links(scopes)}`
  return for_others.length > 0
    ? html`any valid credential; ${links(for_others)} for more than its own`
    : html`any valid credential`
}

const outputRows = ({ output }: Operation): FieldRow[] => fieldRows(output as unknown as Json)

/** Fields of the path, then those of the query or the body. */
function inputRows(operation: Operation): FieldRow[] {
  const { path, input } = operation
  const in_path = pathFields(path)
  const required = (bodySchema(operation).required ?? []) as string[]
  // The cast holds because a schema of ours is JSON Schema as it stands.
  const properties = input.properties as unknown as Record<string, Json>
  const row = (name: string, where: string): FieldRow => {
    const schema = properties[name] ?? {}
    const is_required = where === 'path' || required.includes(name)
    return { name, type: `${typeWords(schema)}, ${where}`, required: is_required, notes: notesOf(schema) }
  }
  if (!isQuery(operation)) return [...in_path.map((name) => row(name, 'path')), ...fieldRows(bodySchema(operation))]
  const others = Object.keys(properties).filter((name) => !in_path.includes(name))
  return [...in_path.map((name) => row(name, 'path')), ...others.map((name) => row(name, 'query'))]
}

/** Fields with their types and words; a list and not a table, so that it is read on a narrow screen. */
export function fieldList(title: string, rows: readonly FieldRow[], isWithin = false): Html {
  if (rows.length === 0) return html``
  const items = rows.map(
    ({ name, type, required, notes }) =>
      html`<dt><code>${name}</code>${required ? ' (required)' : ''}</dt><dd>${words(`${type}. ${notes}`.trim())}</dd>`,
  )
  const heading = isWithin ? html`<h3>${title}</h3>` : html`<h2>${title}</h2>`
  return html`${heading}<dl class="fields">${items}</dl>`
}
