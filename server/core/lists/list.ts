import type { Sql } from '#db/database.ts'

/** A keyset list: what to read, which rows match, and the columns that order it (unique together). */
export interface ListQuery {
  columns: Sql
  from: Sql
  /** Conditions that the filters make; the organization's condition is one of them. */
  where: readonly Sql[]
  /** Column names of this program's own making; default `created_at`, `id`. */
  order?: readonly string[]
  direction?: 'desc' | 'asc'
  /** Column that `updated_after` is compared with; null where it has no effect. */
  updated_at?: string | null
}

/** The list, caller and filters that a cursor and a cached total are bound to. */
export interface ListBinding {
  operation: string
  organization_id: string
  filters: object
}
