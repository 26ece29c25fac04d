import type pg from 'pg'

/** One SQL statement: text with `$n` places and the values bound to them. Values never become text. */
export interface Sql {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
}

/**
 * Tagged template for SQL. A value becomes a bound parameter; a nested fragment is spliced in:
 * `` sql`select * from contracts where ${sql`status = ${status}`}` ``.
 */
export function sql(strings: TemplateStringsArray, ...places: readonly unknown[]): Sql {
  const texts: string[] = [strings[0] ?? '']
  const values: unknown[] = []
  places.forEach((place, index) => {
    const tail = strings[index + 1] ?? ''
    if (!isSql(place)) {
      values.push(place)
      texts.push(tail)
      return
    }
    texts.push(`${texts.pop() ?? ''}${place.strings[0] ?? ''}`, ...place.strings.slice(1))
    values.push(...place.values)
    texts.push(`${texts.pop() ?? ''}${tail}`)
  })
  return { strings: texts, values }
}

/** Joins fragments, e.g. the conditions of a filter with `' and '`; nothing to join gives the `empty` text. */
export function join(fragments: readonly Sql[], separator: string, empty = ''): Sql {
  const [first, ...rest] = fragments
  if (!first) return raw(empty)
  return rest.reduce((all, next) => sql`${all}${raw(separator)}${next}`, first)
}

/** Text that the program wrote itself (a column, a direction); never anything a caller sent. */
export function raw(text: string): Sql {
  return { strings: [text], values: [] }
}

export const empty: Sql = raw('')

export function textOf(statement: Sql): string {
  let text = statement.strings[0] ?? ''
  for (let place = 1; place < statement.strings.length; place += 1) text += `$${place}${statement.strings[place]}`
  return text
}

function isSql(value: unknown): value is Sql {
  return typeof value === 'object' && value !== null && 'strings' in value && 'values' in value
}

const names = new Map<string, string>()

/** Filters combine into many texts; beyond this many, a statement is sent unnamed and parsed anew each time. */
const names_max = 1_000

/**
 * The statement as the driver takes it. The same text has the same name on every connection, so PostgreSQL parses and
 * plans it once per connection.
 */
export function prepared(statement: Sql): pg.QueryConfig {
  const text = textOf(statement)
  const values = [...statement.values]
  const known = names.get(text)
  if (known === undefined && names.size >= names_max) return { text, values }
  const name = known ?? `s${names.size}`
  names.set(text, name)
  return { text, values, name }
}
