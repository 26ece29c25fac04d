import type { Json } from './document.ts'

const columns_default = 120
const cell_characters_max = 60
const gap = 2

/** Names of fields in the order in which a person looks for them; every other one comes behind. */
const first = [
  'id',
  'event_id',
  'name',
  'full_name',
  'code',
  'event_type',
  'type',
  'title',
  'number',
  'status',
  'state',
  'total',
  'total_amount',
  'amount',
  'quantity',
  'balance',
  'currency',
  'compensation',
  'worker_name',
  'url',
  'email',
  'label',
  'start_date',
  'end_date',
  'date',
  'issue_date',
  'due_date',
  'effective_date',
  'occurred_at',
  'description',
]
/** Fields that say little in a table of many rows. */
const last = ['created_at', 'updated_at', 'deleted_at', 'external_id', 'organization_id', 'is_archived']

/** Control characters, and those that turn the direction of writing: a value must not steer the terminal that shows it. */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const printable = (text: string) => text.replaceAll(unprintable, '\ufffd')

/** A value in one cell; undefined for what takes more room than that. `is_short` lets money and names stand for objects that hold more. */
function cellOf(value: unknown, is_short = false): string | undefined {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return printable(String(value))
  if (Array.isArray(value)) {
    return value.every((one) => typeof one === 'string') ? printable(value.join(', ')) : undefined
  }
  const { amount, currency, name, id } = value as Json
  if (!is_short && Object.keys(value).length > 2) return undefined
  if (typeof amount === 'string' && typeof currency === 'string') return printable(`${amount} ${currency}`)
  if (typeof name === 'string' && typeof id === 'string') return printable(is_short ? name : `${name} (${id})`)
  return undefined
}

const cut = (text: string) => (text.length > cell_characters_max ? `${text.slice(0, cell_characters_max - 1)}…` : text)

/** An end is shown however few of the rows have one: what is over must not look as if it were not. */
const ended = /^(revoked|deleted|erased|disabled)_at$/

/** Rows as a table, with as many columns as fit the terminal; ids are never cut. */
export function tableOf(rows: readonly Json[], columns_max = process.stdout.columns || columns_default): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const rank = (name: string) => {
    if (first.includes(name)) return first.indexOf(name)
    if (last.includes(name)) return 300
    if (ended.test(name)) return 50
    return name.endsWith('_id') ? 200 : 100
  }
  const columns = names
    .sort((a, b) => rank(a) - rank(b))
    .map((name) => ({ name, cells: rows.map((row) => cellOf(row[name], true)) }))
    .filter(({ cells }) => cells.every((cell) => cell !== undefined))
    // A column that is mostly empty takes the room of one that tells more.
    .filter(({ name, cells }) => {
      const told = cells.filter((cell) => cell !== '').length
      return ended.test(name) ? told > 0 : told * 2 >= rows.length
    })
    .map(({ name, cells }) => [
      name.toUpperCase(),
      ...cells.map((cell) => (name === 'id' ? (cell ?? '') : cut(cell ?? ''))),
    ])
    .map((cells) => ({ cells, width: Math.max(...cells.map(({ length }) => length)) }))
  let left = columns_max
  const shown = columns.filter(({ width }, place) => {
    if (place > 0 && width > left) return false
    left -= width + gap
    return true
  })
  const lines = [-1, ...rows.keys()]
  return lines.map((line) =>
    shown
      .map(({ cells, width }) => (cells[line + 1] ?? '').padEnd(width + gap))
      .join('')
      .trimEnd(),
  )
}

/** An object, one line for each field; what is inside another stands below it, further in. */
export function linesOf(value: Json, indent = ''): string[] {
  const width = Math.max(0, ...Object.keys(value).map(({ length }) => length)) + gap
  return Object.entries(value).flatMap(([name, field]) => {
    const cell = cellOf(field)
    if (cell !== undefined) return [`${indent}${name.padEnd(width)}${cell}`.trimEnd()]
    const inner = Array.isArray(field) ? field : [field]
    if (inner.length === 0) return [`${indent}${name}`]
    return [
      `${indent}${name}`,
      ...inner.flatMap((one, place) => {
        const lines =
          typeof one === 'object' && one !== null ? linesOf(one, `${indent}  `) : [`${indent}  ${cellOf(one)}`]
        return place > 0 ? [`${indent}  -`, ...lines] : lines
      }),
    ]
  })
}
