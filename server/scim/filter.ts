import { attributeIn, keyOf, type Place, placeOf, type ResourceType, withItsValue } from './attribute.ts'
import { type Comparison, comparisons, type Filter } from './match.ts'
import { readBoolean } from './quirks.ts'
import { refuse } from './refusals.ts'

/** Limits of a filter (design 5); the depth counts parentheses, brackets and `not` together. */
export const filter_limits = { bytes: 4_096, depth: 16, tests: 64, literal_characters: 1_024 } as const

type Token = { readonly kind: '(' | ')' | '[' | ']' | 'word' | 'text'; readonly text: string }

const token_form = /\s+|([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+)/suy

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  token_form.lastIndex = 0
  while (token_form.lastIndex < text.length) {
    const at = token_form.lastIndex
    const [whole, sign, quoted, word] = token_form.exec(text) ?? []
    if (whole === undefined) throw invalid(`A text that begins at character ${at + 1} does not end.`)
    // The cast holds because the form names these four signs only.
    if (sign) tokens.push({ kind: sign as '(', text: sign })
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: textOf(quoted) })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
  }
  return tokens
}

function textOf(quoted: string): string {
  try {
    return JSON.parse(quoted)
  } catch {
    throw invalid(`${quoted.slice(0, 40)} is not a JSON text.`)
  }
}

const invalid = (detail: string) => refuse('invalidFilter', detail)

/** Names are looked up in the type, or, between brackets, among the parts of one attribute. */
interface Scope {
  find(name: string): Place | undefined
  /** Tests are of one element of a list. */
  readonly is_inner?: true
}

/**
 * Reads a filter of RFC 7644 §3.4.2.2 by precedence: grouping, `not`, `and`, `or`. An attribute of `others` only, which the
 * same search spans, is unassigned here. Throws `invalidFilter`.
 */
export function parseFilter(type: ResourceType, text: string, others: readonly ResourceType[] = []): Filter {
  const absent = (name: string) => others.map((other) => placeOf(other, name)).find((place) => place !== undefined)
  const find = (name: string) => {
    const place = placeOf(type, name) ?? absent(name)
    return place && (placeOf(type, name) ? place : { ...place, is_absent: true as const })
  }
  const reader = readerOf(text)
  const filter = reader.either(0, { find })
  const rest = reader.peek()
  if (rest) throw invalid(`${rest.text} stands where the filter should end, or go on with and, or.`)
  return filter
}

/** A path of a PATCH operation: `[urn:]name[.sub]` or `[urn:]name[filter][.sub]` (RFC 7644 §3.5.2). */
export interface Target {
  readonly place: Place
  readonly filter?: Filter
}

export function parseTarget(type: ResourceType, text: string): Target {
  const reader = readerOf(text)
  const name = reader.peek()?.kind === 'word' ? reader.take('word', '') : ''
  const place = placeOf(type, name)
  if (!place) throw refuse('invalidPath', name ? `${name} is not an attribute of this resource.` : 'The path is empty.')
  if (!reader.peek()) return { place }
  if (reader.peek()?.kind !== '[') throw refuse('invalidPath', `${text} is not a path.`)
  const { filter, inner } = reader.bracket(place, 0)
  const sub = reader.subName()
  const found = sub === undefined ? place : inner.find(sub)
  if (!found || reader.peek()) throw refuse('invalidPath', `${text} does not end in a sub-attribute.`)
  return { place: found, filter }
}

/** Reads the parts of a filter one after the other, each by the rules below it, no deeper than the limit. */
function readerOf(text: string) {
  if (Buffer.byteLength(text) > filter_limits.bytes) throw invalid(`It is longer than ${filter_limits.bytes} bytes.`)
  const tokens = tokensOf(text)
  let at = 0
  let tests = 0
  const peek = (): Token | undefined => tokens[at]
  const isWord = (word: string) => peek()?.kind === 'word' && peek()?.text.toLowerCase() === word

  function take(kind: Token['kind'], wanted: string): string {
    const token = peek()
    if (token?.kind !== kind) throw invalid(`${wanted} is missing ${token ? `before ${token.text}` : 'at its end'}.`)
    at += 1
    return token.text
  }

  function joined(kind: 'and' | 'or', part: () => Filter): Filter {
    let left = part()
    while (isWord(kind)) {
      at += 1
      left = { kind, parts: [left, part()] }
    }
    return left
  }

  const either = (depth: number, scope: Scope): Filter => joined('or', () => both(depth, scope))
  const both = (depth: number, scope: Scope): Filter => joined('and', () => unary(depth, scope))

  function unary(depth: number, scope: Scope): Filter {
    const is_not = isWord('not') && tokens[at + 1]?.kind === '('
    if (is_not) at += 1
    if (peek()?.kind !== '(') return test(depth, scope)
    at += 1
    const part = either(deeper(depth), scope)
    take(')', 'A closing parenthesis')
    return is_not ? { kind: 'not', part } : part
  }

  function test(depth: number, scope: Scope): Filter {
    const place = requirePlace(scope, take('word', 'The name of an attribute'))
    if (peek()?.kind !== '[') return comparison(place, scope.is_inner)
    const { filter, inner } = bracket(place, depth)
    const sub = subName()
    const part: Filter =
      sub === undefined ? filter : { kind: 'and', parts: [filter, comparison(requirePlace(inner, sub), true)] }
    // Brackets behind an attribute that holds one value are tests of its parts.
    return place.attribute.multiValued ? { kind: 'element', place, part } : part
  }

  /** The name behind a closing bracket: `].value`. */
  function subName(): string | undefined {
    const token = peek()
    if (token?.kind !== 'word' || !token.text.startsWith('.')) return undefined
    at += 1
    return token.text.slice(1)
  }

  function bracket(place: Place, depth: number): { filter: Filter; inner: Scope } {
    const { attribute, sub } = place
    if (sub || attribute.type !== 'complex') throw invalid(`${keyOf(place)} has no parts that brackets could name.`)
    at += 1
    const find = (name: string) => {
      const found = attributeIn(attribute.subAttributes, name)
      return found && { ...place, sub: found }
    }
    const inner: Scope = { find, is_inner: true }
    const filter = either(deeper(depth), inner)
    take(']', 'A closing bracket')
    return { filter, inner }
  }

  function comparison(named: Place, is_inner = false): Filter {
    tests += 1
    if (tests > filter_limits.tests) throw invalid(`It has more than ${filter_limits.tests} tests.`)
    // A test of a list is one of any of its elements.
    const { sub: _, ...whole } = named
    const ofAny = (part: Filter): Filter =>
      named.attribute.multiValued && !is_inner ? { kind: 'element', place: whole, part } : part
    const present = ofAny({ kind: 'present', place: named })
    const operator = take('word', 'An operator').toLowerCase()
    if (operator === 'pr') return present
    if (!isComparison(operator)) throw invalid(`${operator} is not an operator: pr, ${comparisons.join(', ')}.`)
    const token = peek()
    if (token?.kind !== 'text' && token?.kind !== 'word') throw invalid(`A value is missing behind ${operator}.`)
    at += 1
    if (token.text.length > filter_limits.literal_characters) {
      throw invalid(`A value is longer than ${filter_limits.literal_characters} characters.`)
    }
    if (token.kind === 'word' && token.text.toLowerCase() === 'null') {
      if (operator === 'eq') return { kind: 'not', part: present }
      if (operator === 'ne') return present
      throw invalid(`null takes eq and ne, not ${operator}.`)
    }
    const place = withItsValue(named)
    if (!place) throw invalid(`${keyOf(named)} has parts; name one of them.`)
    return ofAny({ kind: 'compare', place, operator, value: valueFor(place, operator, token.text) })
  }

  return { peek, take, either, bracket, subName }
}

function deeper(depth: number): number {
  if (depth >= filter_limits.depth) throw invalid(`It is nested deeper than ${filter_limits.depth} levels.`)
  return depth + 1
}

const isComparison = (word: string): word is Comparison => (comparisons as readonly string[]).includes(word)

function requirePlace({ find }: Scope, name: string): Place {
  const place = find(name)
  if (!place) throw invalid(`${name} is not an attribute here.`)
  return place
}

/** A literal in the type of its attribute; clients send booleans and times with and without quotation marks. */
function valueFor(place: Place, operator: Comparison, text: string): string | boolean {
  const { type } = place.sub ?? place.attribute
  if (type === 'boolean') {
    if (operator !== 'eq' && operator !== 'ne') throw invalid(`${keyOf(place)} takes eq, ne and pr.`)
    const value = readBoolean(text)
    if (value === undefined) throw invalid(`${keyOf(place)} is true or false.`)
    return value
  }
  if (type !== 'dateTime') return text
  if (/^(co|sw|ew)$/.test(operator)) throw invalid(`${keyOf(place)} is a time, which takes no ${operator}.`)
  const time = timeOf(text)
  if (time === undefined) throw invalid(`${keyOf(place)} takes RFC 3339 times such as 2026-01-12T09:00:00Z.`)
  return time
}

const time_form = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/i

/** Any number of decimals is cut to milliseconds; without an offset it is UTC. */
function timeOf(text: string): string | undefined {
  const [, seconds, decimals = '', offset = 'Z'] = time_form.exec(text.trim()) ?? []
  if (seconds === undefined || seconds.startsWith('0000')) return undefined
  const at = Date.parse(`${seconds}.${decimals.slice(0, 3).padEnd(3, '0')}${offset.toUpperCase()}`)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
