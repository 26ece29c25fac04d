import { hash } from 'node:crypto'
import { canonicalJson } from './json.ts'
import { fieldsOf } from './operation.ts'
import { preconditionFailed, validationFailed } from './problems.ts'
import type { RegisteredOperation } from './registry.ts'

/** The conditional headers of a request as they came (RFC 9110 §13.1). */
export interface Conditions {
  if_match?: string | undefined
  if_none_match?: string | undefined
}

const no_category: ReadonlySet<string> = new Set()

/**
 * The strong validator of a resource as this caller sees it (RFC 9110 §8.8), made from nothing but what the answer shows:
 * it changes with every byte that can be read, and tells nothing of what is withheld. Its first part covers what somebody
 * can change, the second also what the service notes of its use; only the first matters to a precondition of a change.
 */
export function entityTag({ definition, observed }: RegisteredOperation, body: unknown): string {
  const shown = Object.fromEntries(fieldsOf(definition).map((name) => [name, (body as Record<string, unknown>)[name]]))
  const changeable = digestOf(observed.withhold(shown, no_category))
  return observed.categories.length === 0 ? `"${changeable}"` : `"${changeable}.${digestOf(shown)}"`
}

function digestOf(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'base64url').slice(0, 22)
}

/** Throws `precondition_failed` where a change must not be made to the resource with this tag; null: it has none. */
export function refuseOutdated({ if_match, if_none_match }: Conditions, current: string | null): void {
  const isMet = if_match === undefined || names(if_match, 'If-Match', (tag) => isSameVersion(tag, current))
  const isFree =
    if_none_match === undefined || !names(if_none_match, 'If-None-Match', (tag) => isSameVersion(tag, current))
  if (!isMet || !isFree) throw preconditionFailed(undefined, current === null ? {} : { headers: { ETag: current } })
}

/** True when the caller of a read has what it would be answered; throws `precondition_failed` if it wants another. */
export function isKnown({ if_match, if_none_match }: Conditions, current: string | null): boolean {
  refuseOutdated({ if_match }, current)
  // Read with the weak comparison of RFC 9110 §8.8.3.2.
  return if_none_match !== undefined && names(if_none_match, 'If-None-Match', (tag) => strong(tag) === current)
}

const tag_pattern = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

/** True when a list of entity tags holds one that fits; `*` is any resource that there is. */
function names(header: string, field: string, fits: (tag: string) => boolean): boolean {
  if (header.trim() === '*') return true
  // No header can hold the character that stands for a tag here, so what is left shows whether there was nothing else.
  const parts = header.replaceAll(tag_pattern, '\0').split(',')
  const tags = header.match(tag_pattern)
  if (tags && parts.every((part) => /^[ \t]*\0?[ \t]*$/.test(part))) return tags.some(fits)
  const message = 'must be * or entity tags as the ETag header carries them, in double quotes'
  throw validationFailed(`${field} ${message}.`, { errors: [{ pointer: `/${field}`, message }] })
}

/** The strong comparison: a weak tag is never the same. */
function isSameVersion(tag: string, current: string | null): boolean {
  return current !== null && changeablePart(tag) === changeablePart(current)
}

function changeablePart(tag: string): string {
  return tag.replace(/\..*"$/, '"')
}

function strong(tag: string): string {
  return tag.replace(/^W\//, '')
}
