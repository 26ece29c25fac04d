import type { Registry } from '#core/registry.ts'
import type { Json } from '#surfaces/openapi/components.ts'
import { deliveryExample } from '#surfaces/openapi/openapi-document.ts'
import { fieldRows } from '#surfaces/openapi/schema-words.ts'
import { shapeDefinitions, table } from './markdown.ts'

/** Every event type with the fields of its entries and an example, as Markdown. */
export function eventsPage({ events }: Registry, document: Json): string {
  const webhooks = document.webhooks as Record<string, { post: Json }>
  const sections = [...events.values()]
    .toSorted((a, b) => (a.type.type < b.type.type ? -1 : 1))
    .map(({ type, sensitive }) => {
      const schema = entrySchema(webhooks[type.type]?.post ?? {}, document)
      const rows = fieldRows(schema).map(({ name, type: words, notes }) => [`\`${name}\``, words, notes])
      const example = JSON.stringify(deliveryExample(type.type, type.example), null, 2)
      const withheld = sensitive.categories.map((category) => `\`${category}\``).join(', ')
      return [
        `## ${type.type}`,
        `${type.summary} Module \`${type.module}\`.${withheld && ` Sensitive: ${withheld}.`}`,
        table(['Field of an entry', 'Type', 'Notes'], rows),
        `\`\`\`json\n${example}\n\`\`\``,
      ].join('\n\n')
    })
  return [
    '# Events',
    'A delivery is a POST with the body `{data: {meta, resource: [entry, …]}, timestamp}`, signed as [the OpenAPI document](openapi/document.json) says under `webhooks`. `meta.is_simulation` is present, and true, only on simulated events. A sensitive field is null unless the subscription was granted its category.',
    ...sections,
    shapeDefinitions(document),
  ].join('\n\n')
}

function entrySchema(post: Json, document: Json): Json {
  const at = (value: unknown, ...path: string[]): unknown =>
    path.reduce((inner, key) => (inner as Json | undefined)?.[key], value)
  const content = at(post, 'requestBody', 'content', 'application/json', 'schema', 'properties', 'data', 'properties')
  const items = at(content, 'resource', 'items') as Json
  if (typeof items.$ref !== 'string') return items
  return at(document, 'components', 'schemas', items.$ref.split('/').at(-1) ?? '') as Json
}
