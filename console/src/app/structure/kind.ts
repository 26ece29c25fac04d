import type { ReactNode } from 'react'
import type { Page } from '#sdk/index.ts'

/** One that has a name, and some fields more. */
export interface Named {
  id: string
  name: string
  external_id?: string | null
}

/** The part that all fields of a form have alike; `fault` is what the service says of it. */
export type FieldOf = (name: string, label: string) => { name: string; label: string; fault: string | undefined }

export interface Kind<Row extends Named = Named> {
  /** In the address. */
  name: string
  words: string
  one: string
  /** Says what it is for, while there is none. */
  about: string
  /** True where the list can be searched. */
  has_search: boolean
  list(input: { search?: string | undefined }): { page(): Promise<Page<Row>> }
  create(values: object, idempotency_key: string): Promise<Row>
  update(id: string, values: object): Promise<Row>
  remove(id: string): Promise<unknown>
  /** Says what becomes of it, before it is removed. */
  removal?: string
  /** In a column of its own; absent for those that have an id of another system there. */
  code?: { words: string; of(row: Row): string }
  /** Below the name, in the list. */
  under(row: Row): ReactNode
  /** Names of the texts in the form beside `name`. */
  fields: readonly string[]
  Fields(props: { row: Row | undefined; field: FieldOf }): ReactNode
  /** Values of the form beside those texts. */
  values?(form: FormData): object
}

/** The casts of values hold as far as the forms go; the service names the field that is missing or wrong. */
export const kindOf = <Row extends Named>(kind: Kind<Row>): Kind => kind as unknown as Kind
