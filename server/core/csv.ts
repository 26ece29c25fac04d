import { stringify } from 'csv-stringify/sync'

/**
 * A spreadsheet takes a cell that begins like this for a formula, in full width too: it would run a worker's description.
 * In most of Europe it parts cells at semicolons or tabs: one begins behind each of them, and quotes inside are none of
 * ours then.
 */
const begins_formula = /(^|[;\t\r\n])(?=[ "]*[=+\-@＝＋－＠])|^(?=[\t\r])/g

/** A table as RFC 4180 has it, in UTF-8, with a row of names; cells of `numbers` are written as they are. */
export function csvOf<Row extends Record<string, unknown>>(
  columns: readonly (keyof Row & string)[],
  numbers: ReadonlySet<string>,
  rows: readonly Row[],
): string {
  const cells = rows.map((row) =>
    columns.map((column) => {
      const value = row[column]
      if (typeof value !== 'string' || numbers.has(column)) return value
      return value.replaceAll(begins_formula, "$1'")
    }),
  )
  // The library quotes its own delimiters only: a bare line feed would begin a row for those who read the file.
  return stringify([[...columns], ...cells], {
    ...{ record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
    cast: { boolean: String },
  })
}
