import { readJsonText } from '#core/json.ts'
import { utcOf } from '#core/values.ts'
import { findPart, findPlace, isList, type Place, type ResourceType, wholeOf, withValuePart } from './attribute.ts'
import { isBareWord, readBoolean } from './quirks.ts'
import { refuse } from './refusals.ts'
import { asResource, isAssigned, type Resource, valueAt } from './resource.ts'

export const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type Comparison = (typeof comparisons)[number]

/** A test compares with a value of the attribute's type: times are ISO 8601 in UTC. Names are resolved. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly [Filter, Filter] }
  | { readonly kind: 'not'; readonly part: Filter }
  /** One element of a multi-valued attribute satisfies all of `part`, whose places are those of its parts. */
  | { readonly kind: 'element'; readonly place: Place; readonly part: Filter }
  | { readonly kind: 'present'; readonly place: Place }
  | { readonly kind: 'compare'; readonly place: Place; readonly operator: Comparison; readonly value: string | boolean }

/** Limits of a filter (design 5); the depth counts parentheses, brackets and `not` together. */
export const filter_limits = { bytes: 4_096, depth: 16, tests: 64, literal_characters: 1_024 } as const

const invalid = (detail: string) => refuse('invalidFilter', detail)

/** Reads a filter of RFC 7644 §3.4.2.2. `absent` finds what only other types of a search have. */
export function parseFilter(type: ResourceType, text: string, absent: Scope['find'] = () => undefined): Filter {
  const parser = new Parser(text)
  const filter = parser.filter({ find: (name) => findPlace(type, name) ?? absent(name), depth: 0 })
  if (parser.next) throw invalid(`${parser.next} stands where the filter should end, or go on with and, or.`)
  return filter
}

/** A path of a PATCH operation: `[urn:]name[.sub]` or `[urn:]name[filter][.sub]` (RFC 7644 §3.5.2). */
export type Target = { readonly place: Place; readonly filter?: Filter }

export function parseTarget(type: ResourceType, text: string): Target {
  const parser = new Parser(text)
  const place = findPlace(type, parser.next)
  if (!place) throw refuse('invalidPath', `${parser.next || 'Nothing'} is not an attribute of this resource.`)
  parser.skip()
  if (!parser.next) return { place }
  if (parser.next !== '[') throw refuse('invalidPath', `${text} is not a path.`)
  const filter = parser.bracket(place, 0)
  const found = parser.tail(place)
  if (!found || parser.next) throw refuse('invalidPath', `${text} does not end in a sub-attribute.`)
  return { place: found, filter }
}

/** The names that a filter may use: those of the type or, between brackets, of the parts of an attribute. */
type Scope = { find(name: string): Place | undefined; readonly depth: number; readonly is_inner?: true }

const token_form = /\s+|([()[\]]|"(?:[^"\\]|\\.)*"|[^\s()[\]"]+)|(.)/gsu

/** Reads by precedence: grouping, `not`, `and`, `or`. */
class Parser {
  readonly #tokens: readonly string[]
  #at = 0
  #tests = 0

  constructor(text: string) {
    if (Buffer.byteLength(text) > filter_limits.bytes) throw invalid(`It is longer than ${filter_limits.bytes} bytes.`)
    this.#tokens = [...text.matchAll(token_form)].flatMap(({ index, 1: token, 2: open }) => {
      if (open) throw invalid(`A text that begins at character ${index + 1} does not end.`)
      return token ?? []
    })
  }

  /** The token at hand; empty at the end. */
  get next(): string {
    return this.#tokens[this.#at] ?? ''
  }

  skip(): string {
    this.#at += 1
    return this.#tokens[this.#at - 1] ?? ''
  }

  #take(form: RegExp, wanted: string): string {
    if (form.test(this.next)) return this.skip()
    throw invalid(`${wanted} is missing ${this.next ? `before ${this.next}` : 'at its end'}.`)
  }

  /** Terms that `or` joins, each of those that `and` joins. */
  filter(scope: Scope, kind: 'or' | 'and' = 'or'): Filter {
    const part = () => (kind === 'or' ? this.filter(scope, 'and') : this.#unary(scope))
    let left = part()
    while (this.next.toLowerCase() === kind) {
      this.skip()
      left = { kind, parts: [left, part()] }
    }
    return left
  }

  #unary(scope: Scope): Filter {
    const is_not = /^not$/i.test(this.next) && this.#tokens[this.#at + 1] === '('
    if (is_not) this.skip()
    if (this.next !== '(') return this.#test(scope)
    this.skip()
    const part = this.filter(deeper(scope))
    this.#take(/^\)$/, 'A closing parenthesis')
    return is_not ? { kind: 'not', part } : part
  }

  #test(scope: Scope): Filter {
    const name = this.#take(/^[^()[\]"]/, 'The name of an attribute')
    const place = scope.find(name)
    if (!place) throw invalid(`${name} is not an attribute here.`)
    if (this.next !== '[') return this.#comparison(place, isList(wholeOf(place)) && !scope.is_inner)
    const inner = this.bracket(place, scope.depth)
    const tail = this.tail(place)
    if (!tail) throw invalid(`${this.next} is not an attribute here.`)
    const part: Filter = tail === place ? inner : { kind: 'and', parts: [inner, this.#comparison(tail, false)] }
    // Brackets behind an attribute that holds one value are tests of its parts.
    return isList(place) ? { kind: 'element', place, part } : part
  }

  bracket(place: Place, depth: number): Filter {
    if (place.parts.length === 0) throw invalid(`${place.key} has no parts that brackets could name.`)
    this.skip()
    const filter = this.filter(deeper({ find: (name) => findPart(place, name), depth, is_inner: true }))
    this.#take(/^\]$/, 'A closing bracket')
    return filter
  }

  /** The part that is named behind a closing bracket, `].value`; the place itself where there is none. */
  tail(place: Place): Place | undefined {
    return this.next.startsWith('.') ? findPart(place, this.skip().slice(1)) : place
  }

  /** A test; one of a list, `of_any`, is satisfied by any of its elements. */
  #comparison(place: Place, of_any: boolean): Filter {
    this.#tests += 1
    if (this.#tests > filter_limits.tests) throw invalid(`It has more than ${filter_limits.tests} tests.`)
    const of = (part: Filter): Filter => (of_any ? { kind: 'element', place: wholeOf(place), part } : part)
    const present = of({ kind: 'present', place })
    const word = this.#take(/./, 'An operator').toLowerCase()
    if (word === 'pr') return present
    const operator = comparisons.find((one) => one === word)
    if (!operator) throw invalid(`${word} is not an operator: pr, ${comparisons.join(', ')}.`)
    const token = this.#take(/^[^()[\]]/, 'A value is missing: it')
    if (/^null$/i.test(token)) {
      if (operator === 'eq') return { kind: 'not', part: present }
      if (operator === 'ne') return present
      throw invalid(`null takes eq and ne, not ${operator}.`)
    }
    const tested = withValuePart(place)
    if (!tested) throw invalid(`${place.key} has parts; name one of them.`)
    return of({ kind: 'compare', place: tested, operator, value: valueFor(tested, operator, textOf(token)) })
  }
}

function deeper(scope: Scope): Scope {
  if (scope.depth < filter_limits.depth) return { ...scope, depth: scope.depth + 1 }
  throw invalid(`It is nested deeper than ${filter_limits.depth} levels.`)
}

function textOf(token: string): string {
  const most = filter_limits.literal_characters
  const read = isBareWord(token) ? { value: token } : readJsonText(token)
  if ('fault' in read) throw invalid(`${token.slice(0, 40)} is not a JSON text.`)
  const text = String(read.value)
  if (text.length > most) throw invalid(`A value is longer than ${most} characters.`)
  if (text.includes('\0')) throw invalid('A value holds a character that no text may have.')
  return text
}

/** A literal in the type of its attribute. */
function valueFor({ key, own: { type } }: Place, operator: Comparison, text: string): string | boolean {
  if (type === 'boolean') {
    const value = readBoolean(text)
    if (operator !== 'eq' && operator !== 'ne') throw invalid(`${key} takes eq, ne and pr.`)
    if (value === undefined) throw invalid(`${key} is true or false.`)
    return value
  }
  if (type !== 'dateTime') return text
  if (/^(co|sw|ew)$/.test(operator)) throw invalid(`${key} is a time, which takes no ${operator}.`)
  const time = timeOf(text.trim())
  // An offset may lead out of the years from 1 to 9999.
  if (time && /^(?!0000)\d{4}-/.test(time)) return time
  throw invalid(`${key} takes RFC 3339 times such as 2026-01-12T09:00:00Z.`)
}

/** Decimals beyond milliseconds are cut; without an offset it is UTC. */
function timeOf(text: string): string | null {
  const cut = text.replace(/(\.\d{3})\d+/, '$1')
  return utcOf(/(Z|[+-]\d\d:\d\d)$/i.test(cut) ? cut : `${cut}Z`)
}

/** True if a resource satisfies a filter, or, with `is_element`, an element of a list what stands between its brackets. */
export function matches(filter: Filter, subject: unknown, is_element = false): boolean {
  const holds = (part: Filter) => matches(part, subject, is_element)
  if ('parts' in filter) return filter.kind === 'and' ? filter.parts.every(holds) : filter.parts.some(holds)
  if (filter.kind === 'not') return !holds(filter.part)
  const { place } = filter
  const path = is_element ? place.path.slice(place.whole ? -1 : place.path.length) : place.path
  const value = valueAt(asResource(subject) ?? {}, path)
  if (filter.kind === 'element') return Array.isArray(value) && value.some((one) => matches(filter.part, one, true))
  if (filter.kind === 'present') return isAssigned(value)
  // Of a value that is not there, `ne` is true.
  if (!isAssigned(value)) return filter.operator === 'ne'
  if (typeof filter.value === 'boolean') return (filter.operator === 'eq') === (value === filter.value)
  const fold = (text: string) => (place.own.caseExact ? text : text.toLowerCase())
  return tests[filter.operator](fold(String(value)), fold(filter.value))
}

const tests: Record<Comparison, (a: string, b: string) => boolean> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  co: (a, b) => a.includes(b),
  sw: (a, b) => a.startsWith(b),
  ew: (a, b) => a.endsWith(b),
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
}

/** Entra: `emails[type eq "work"].value` where there is none: the element of `eq` tests joined by `and`, else undefined. */
export function elementOf(filter: Filter): Resource | undefined {
  if (filter.kind === 'and') {
    const [left, right] = filter.parts.map(elementOf)
    return left && right && { ...left, ...right }
  }
  return filter.kind === 'compare' && filter.operator === 'eq' ? { [filter.place.own.name]: filter.value } : undefined
}
