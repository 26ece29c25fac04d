import type { Cursors } from '#core/list.ts'
import { Type } from '#core/schema/schema.ts'
import { refuse, ScimError } from './errors.ts'
import { asResource, type Resource } from './match.ts'

declare module '#core/operation.ts' {
  interface Rooms {
    scim: {
      /** Address below which SCIM answers, e.g. `https://stint.example/scim/v2`. */
      base: string
      /** Seals the places at which pages go on. */
      cursors: Cursors
    }
  }
}

/** The bodies go as they came: what is in them is judged by the schemas of SCIM, not by those of operations. */
export const Body = { body: Type.String() }
const names = Type.Optional(Type.Array(Type.String()))
/** The parts of the answer that a client asks for. */
export const Shown = { attributes: names, excluded_attributes: names }
export const Version = { if_match: Type.Optional(Type.String()) }
const text = Type.Optional(Type.String())
export const ListInput = {
  ...Shown,
  ...{ filter: text, sort_by: text, sort_order: text, cursor: text },
  ...{ start_index: Type.Optional(Type.Integer()), count: Type.Optional(Type.Integer()) },
}

export function parse(body: string): Resource {
  try {
    const parsed = asResource(JSON.parse(body))
    if (parsed) return parsed
  } catch {
    throw refuse('invalidSyntax', 'The body is not JSON.')
  }
  throw refuse('invalidSyntax', 'The body is not a JSON object.')
}

/** Weak tags are compared by their opaque part; without the header the last write wins (design 7). */
export function checkVersion(if_match: string | undefined, version: unknown): void {
  if (if_match === undefined || if_match.trim() === '*') return
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  if (if_match.split(',').some((tag) => opaque(tag) === opaque(String(version)))) return
  throw new ScimError(412, undefined, 'The resource has changed since; read it again.')
}
