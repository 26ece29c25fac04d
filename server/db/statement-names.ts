const names = new Map<string, string>()

/** Filters combine into many texts; beyond this many, a statement is sent unnamed and parsed anew each time. */
const names_max = 1_000

/** The same text has the same name on every connection, so PostgreSQL parses and plans it once per connection. */
export function statementName(text: string): string | undefined {
  const known = names.get(text)
  if (known || names.size >= names_max) return known
  const name = `s${names.size}`
  names.set(text, name)
  return name
}
