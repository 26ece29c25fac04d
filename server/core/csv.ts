import { stringify } from 'csv-stringify/sync'

/** A spreadsheet takes a line that begins like this for a formula: it would run a worker's description. */
const begins_formula = /^[=+\-@\t\r]/
const lines_of_formulas = /([\r\n])(?=[=+\-@\t])/g

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
      return value.replace(begins_formula, "'$&").replaceAll(lines_of_formulas, "$1'")
    }),
  )
  // The library quotes its own delimiters only: a bare line feed would begin a row for those who read the file.
  return stringify([[...columns], ...cells], {
    ...{ record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
    cast: { boolean: String },
  })
}
