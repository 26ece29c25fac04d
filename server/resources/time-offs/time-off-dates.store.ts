import { type Sql, sql } from '#db/database.ts'

/**
 * Time off that lies at least partly after a day, or before one. No span is longer than 366 days, which is said too: so
 * the days between two dates are found by their index, where 100,000 rows were read in the order of the list.
 */
export function endsFrom(date: string): Sql {
  return sql`(time_offs.end_date >= ${date} and time_offs.start_date >= ${date}::date - 365)`
}

export function beginsUntil(date: string): Sql {
  return sql`(time_offs.start_date <= ${date} and time_offs.end_date <= ${date}::date + 365)`
}
