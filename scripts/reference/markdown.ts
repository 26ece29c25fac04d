import type { Json } from '#surfaces/openapi/components.ts'

/** Targets of the names in brackets: link definitions for the end of a page. */
export function shapeDefinitions(document: Json): string {
  const { schemas } = document.components as { schemas: Json }
  return Object.keys(schemas)
    .map((name) => `[${name}]: operations.md#${name.toLowerCase()}`)
    .join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(heads), `|${heads.map(() => ' --- |').join('')}`, ...rows.map(line)].join('\n')
}
