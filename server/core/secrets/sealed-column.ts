import type { Sql } from '#db/sql.ts'

/** A column of sealed values, as the change of sealing keys goes through it. Names are this program's own. */
export interface SealedColumn {
  table: string
  column: string
  /** What names a row within its organization; `contextOf` is given these and `organization_id`. */
  key: readonly string[]
  /** Which rows hold a sealed value, when others hold a plain one. */
  where?: Sql
  /** What the value of a row is sealed to. */
  contextOf(row: Record<string, unknown>): string
}
