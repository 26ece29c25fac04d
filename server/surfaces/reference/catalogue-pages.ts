import type { Role } from '#core/caller.ts'
import type { Operation } from '#core/operation.ts'
import type { RegisteredEvent, Registry } from '#core/registry.ts'
import { rightsOf, scopes, sensitiveCategories } from '#identity/scopes.ts'
import type { Json } from '../openapi/components.ts'
import { deliveryExample } from '../openapi/openapi-document.ts'
import { fieldRows } from '../openapi/schema-words.ts'
import { type Html, html, inLine, words } from './html-page.ts'
import { code, fieldList, linkTo, pathOfOperation } from './operation-pages.ts'

/** Sentences for each scope and category, as the page of consent has them. */
export interface RightsWords {
  scopes: Readonly<Record<string, string>>
  categories: Readonly<Record<string, string>>
}

/** Sentences of the consent page without the marks of what deserves a second look. */
export const plain = (text: string) => text.replaceAll('**', '')

// The cast holds because an object has its keys.
const roles = Object.keys(rightsOf) as Role[]

/** Each scope in words, the operations that it opens and the roles that can give it. */
export function scopesContent(operations: readonly Operation[], rights: RightsWords): Html {
  const sections = scopes.map((scope) => {
    const opened = operations.filter((one) => [...one.scopes, ...(one.scopes_for_others ?? [])].includes(scope))
    const given_by = roles.filter((role) => rightsOf[role].grantable.has(scope))
    const links = opened.map(({ id }) => linkTo(pathOfOperation(id), id))
    return html`<dt id="${scope}"><code>${scope}</code></dt><dd>${plain(rights.scopes[scope] ?? '')}.
${given_by.length > 0 ? `Members who can give it: ${given_by.join(', ')}.` : ''} ${
      links.length > 0 ? html`Opens ${inLine(links)}.` : ''
    }</dd>`
  })
  const categories = sensitiveCategories.map(
    (name) => html`<dt><code>${name}</code></dt><dd>${plain(rights.categories[name] ?? '')}.</dd>`,
  )
  return html`<p>A token, an app or a session holds scopes; an operation asks for one of those it names. <code>x:write</code> includes
<code>x:read</code>.</p><dl>${sections}</dl>
<h2>Sensitive data</h2>
<p>Fields of these categories are null, and named by <code>Sensitive-Data-Withheld</code>, unless the credential was granted them.</p>
<dl>${categories}</dl>`
}

const byType = (a: RegisteredEvent, b: RegisteredEvent) => (a.type.type < b.type.type ? -1 : 1)

/** Every event type with the fields of its entries and an example of what a receiver gets. */
export function eventsContent({ events }: Registry): Html {
  const sections = [...events.values()].sort(byType).map(({ type: { type, summary, entry, example } }) => {
    const rows = fieldList('Fields of an entry', fieldRows(entry as unknown as Json), true)
    return html`<section id="${type}"><h2><code>${type}</code></h2><p>${words(summary)}</p>
<details><summary>Fields and example</summary>${rows}${code(JSON.stringify(deliveryExample(type, example), null, 2), `example of ${type}`)}</details></section>`
  })
  return html`<p>What webhooks deliver, and what <a href="${pathOfOperation('events.list')}">the feed</a> lists.</p>${sections}`
}
