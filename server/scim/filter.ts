import { refuse } from './errors.ts'
import { type Attribute, attributeIn, keyOf, type Place, placeOf, type ResourceType } from './schema.ts'

/** Limits of a filter (design 5); the depth counts parentheses, brackets and `not` together. */
export const filter_limits = { bytes: 4_096, depth: 16, tests: 64, literal_characters: 1_024 } as const

const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type Comparison = (typeof comparisons)[number]

/** A test compares with a value of the attribute's type: times are ISO 8601 in UTC. Names are resolved. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly [Filter, Filter] }
  | { readonly kind: 'not'; readonly part: Filter }
  /** One element of a multi-valued attribute satisfies all of `part`, whose places name its sub-attributes. */
  | { readonly kind: 'element'; readonly place: Place; readonly part: Filter }
  | { readonly kind: 'present'; readonly place: Place }
  | { readonly kind: 'compare'; readonly place: Place; readonly operator: Comparison; readonly value: string | boolean }

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

/** Names are looked up in the type, or, between brackets, among the sub-attributes of one attribute. */
type Scope = (name: string) => Place | undefined

/** Reads a filter of RFC 7644 §3.4.2.2 by precedence: grouping, `not`, `and`, `or`. Throws `invalidFilter`. */
export function parseFilter(type: ResourceType, text: string): Filter {
  return new Parser(text, (name) => placeOf(type, name)).whole()
}

/** A path of a PATCH operation: `[urn:]name[.sub]` or `[urn:]name[filter][.sub]` (RFC 7644 §3.5.2). */
export interface Target {
  readonly place: Place
  readonly filter?: Filter
}

export function parseTarget(type: ResourceType, text: string): Target {
  return new Parser(text, (name) => placeOf(type, name)).target()
}

class Parser {
  readonly #source: string
  readonly #names: Scope
  readonly #tokens: readonly Token[]
  #at = 0
  #tests = 0

  constructor(source: string, names: Scope) {
    if (Buffer.byteLength(source) > filter_limits.bytes)
      throw invalid(`It is longer than ${filter_limits.bytes} bytes.`)
    this.#source = source
    this.#names = names
    this.#tokens = tokensOf(source)
  }

  whole(): Filter {
    const filter = this.#either(0, this.#names)
    const token = this.#peek()
    if (token) throw invalid(`${token.text} stands where the filter should end, or go on with and, or.`)
    return filter
  }

  target(): Target {
    const [first] = this.#tokens
    if (first?.kind !== 'word') throw refuse('invalidPath', 'The path is empty.')
    this.#at += 1
    const name = first.text
    const place = this.#names(name)
    if (!place) throw refuse('invalidPath', `${name} is not an attribute of this resource.`)
    const bracket = this.#peek()
    if (!bracket) return { place }
    if (bracket.kind !== '[') throw refuse('invalidPath', `${this.#source} is not a path.`)
    const { inner, part } = this.#bracket(place, 0)
    const sub = this.#subName()
    const found = sub === undefined ? place : inner(sub)
    if (!found || this.#peek()) throw refuse('invalidPath', `${this.#source} does not end in a sub-attribute.`)
    return { place: found, filter: part }
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at]
  }

  #take(kind: Token['kind'], wanted: string): string {
    const token = this.#peek()
    if (token?.kind !== kind) throw invalid(`${wanted} is missing ${token ? `before ${token.text}` : 'at its end'}.`)
    this.#at += 1
    return token.text
  }

  #skips(word: 'or' | 'and'): boolean {
    const token = this.#peek()
    const is = token?.kind === 'word' && token.text.toLowerCase() === word
    if (is) this.#at += 1
    return is
  }

  #either(depth: number, names: Scope): Filter {
    let left = this.#both(depth, names)
    while (this.#skips('or')) left = { kind: 'or', parts: [left, this.#both(depth, names)] }
    return left
  }

  #both(depth: number, names: Scope): Filter {
    let left = this.#unary(depth, names)
    while (this.#skips('and')) left = { kind: 'and', parts: [left, this.#unary(depth, names)] }
    return left
  }

  #unary(depth: number, names: Scope): Filter {
    const token = this.#peek()
    const isNot = token?.text.toLowerCase() === 'not' && this.#tokens[this.#at + 1]?.kind === '('
    if (isNot) this.#at += 1
    if (this.#peek()?.kind !== '(') return this.#test(depth, names)
    this.#at += 1
    const part = this.#either(deeper(depth), names)
    this.#take(')', 'A closing parenthesis')
    return isNot ? { kind: 'not', part } : part
  }

  #test(depth: number, names: Scope): Filter {
    const place = requirePlace(names, this.#take('word', 'The name of an attribute'))
    if (this.#peek()?.kind !== '[') return this.#comparison(place)
    const { inner, part } = this.#bracket(place, depth)
    const sub = this.#subName()
    if (sub === undefined) return elementOf(place, part)
    return elementOf(place, { kind: 'and', parts: [part, this.#comparison(requirePlace(inner, sub))] })
  }

  /** The name behind a closing bracket: `].value`. */
  #subName(): string | undefined {
    const token = this.#peek()
    if (token?.kind !== 'word' || !token.text.startsWith('.')) return undefined
    this.#at += 1
    return token.text.slice(1)
  }

  #bracket(place: Place, depth: number): { inner: Scope; part: Filter } {
    const { attribute, sub } = place
    if (sub || attribute.type !== 'complex') throw invalid(`${keyOf(place)} has no parts that brackets could name.`)
    this.#at += 1
    const inner: Scope = (name) => {
      const found = attributeIn(attribute.subAttributes, name)
      return found && { ...place, sub: found }
    }
    const part = this.#either(deeper(depth), inner)
    this.#take(']', 'A closing bracket')
    return { inner, part }
  }

  #comparison(named: Place): Filter {
    this.#tests += 1
    if (this.#tests > filter_limits.tests) throw invalid(`It has more than ${filter_limits.tests} tests.`)
    const operator = this.#take('word', 'An operator').toLowerCase()
    if (operator === 'pr') return { kind: 'present', place: named }
    if (!isComparison(operator)) throw invalid(`${operator} is not an operator: pr, ${comparisons.join(', ')}.`)
    const token = this.#peek()
    if (token?.kind !== 'text' && token?.kind !== 'word') throw invalid(`A value is missing behind ${operator}.`)
    this.#at += 1
    if (token.text.length > filter_limits.literal_characters) {
      throw invalid(`A value is longer than ${filter_limits.literal_characters} characters.`)
    }
    if (token.text.includes('\0')) throw invalid('A value holds a character that no text may have.')
    if (token.kind === 'word' && token.text.toLowerCase() === 'null') return compareNull(named, operator)
    const place = withValue(named)
    return { kind: 'compare', place, operator, value: valueFor(place, operator, token.text) }
  }
}

function deeper(depth: number): number {
  if (depth >= filter_limits.depth) throw invalid(`It is nested deeper than ${filter_limits.depth} levels.`)
  return depth + 1
}

const isComparison = (word: string): word is Comparison => (comparisons as readonly string[]).includes(word)

function requirePlace(names: Scope, name: string): Place {
  const place = names(name)
  if (!place) throw invalid(`${name} is not an attribute here.`)
  return place
}

/** Brackets behind an attribute that holds one value are tests of its parts. */
function elementOf(place: Place, part: Filter): Filter {
  return place.attribute.multiValued ? { kind: 'element', place, part } : part
}

/** `emails` means `emails.value`, as `manager` means `manager.value`. */
function withValue(place: Place): Place {
  if (place.sub || place.attribute.type !== 'complex') return place
  const value = attributeIn(place.attribute.subAttributes, 'value')
  if (!value) throw invalid(`${keyOf(place)} has parts; name one of them.`)
  return { ...place, sub: value }
}

function compareNull(place: Place, operator: Comparison): Filter {
  const present: Filter = { kind: 'present', place }
  if (operator === 'ne') return present
  if (operator === 'eq') return { kind: 'not', part: present }
  throw invalid(`null takes eq and ne, not ${operator}.`)
}

/** A literal in the type of its attribute; clients send booleans and times with and without quotation marks. */
function valueFor(place: Place, operator: Comparison, text: string): string | boolean {
  const { type } = place.sub ?? place.attribute
  if (type === 'boolean') {
    if (operator !== 'eq' && operator !== 'ne') throw invalid(`${keyOf(place)} takes eq, ne and pr.`)
    const word = text.toLowerCase()
    if (word !== 'true' && word !== 'false') throw invalid(`${keyOf(place)} is true or false.`)
    return word === 'true'
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
  const time = Number.isNaN(at) ? '' : new Date(at).toISOString()
  // An offset may lead out of the years from 1 to 9999.
  return /^(?!0000)\d{4}-/.test(time) ? time : undefined
}

/** The rule by which texts of an attribute are compared. */
export const isExact = ({ attribute, sub }: Place): boolean => (sub ?? (attribute as Attribute)).caseExact
