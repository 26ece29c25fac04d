import { findPart, findPlace, isList, type Place, type ResourceType, wholeOf, withValuePart } from './attribute.ts'
import { unassigned } from './filter-sql.ts'
import { type Comparison, comparisons, type Filter } from './match.ts'
import { isBareWord, readBoolean } from './quirks.ts'
import { refuse } from './refusals.ts'

/** Limits of a filter (design 5); the depth counts parentheses, brackets and `not` together. */
export const filter_limits = { bytes: 4_096, depth: 16, tests: 64, literal_characters: 1_024 } as const

const invalid = (detail: string) => refuse('invalidFilter', detail)

/** Reads a filter of RFC 7644 §3.4.2.2. An attribute that only `others` of a search have is unassigned here. */
export function parseFilter(type: ResourceType, text: string, others: readonly ResourceType[] = []): Filter {
  const parser = new Parser(text)
  const absent = (name: string) => others.flatMap((other) => findPlace(other, name) ?? []).map(unassigned)[0]
  const filter = parser.filter({ find: (name) => findPlace(type, name) ?? absent(name), depth: 0 })
  if (parser.next) throw invalid(`${parser.next} stands where the filter should end, or go on with and, or.`)
  return filter
}

/** A path of a PATCH operation: `[urn:]name[.sub]` or `[urn:]name[filter][.sub]` (RFC 7644 §3.5.2). */
export interface Target {
  readonly place: Place
  readonly filter?: Filter
}

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
interface Scope {
  find(name: string): Place | undefined
  readonly depth: number
  readonly is_inner?: true
}

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

  #isNext(word: string): boolean {
    return this.next.toLowerCase() === word
  }

  #take(form: RegExp, wanted: string): string {
    if (form.test(this.next)) return this.skip()
    throw invalid(`${wanted} is missing ${this.next ? `before ${this.next}` : 'at its end'}.`)
  }

  filter(scope: Scope): Filter {
    return this.#joined('or', () => this.#joined('and', () => this.#unary(scope)))
  }

  #joined(kind: 'and' | 'or', part: () => Filter): Filter {
    let left = part()
    while (this.#isNext(kind)) {
      this.skip()
      left = { kind, parts: [left, part()] }
    }
    return left
  }

  #unary(scope: Scope): Filter {
    const is_not = this.#isNext('not') && this.#tokens[this.#at + 1] === '('
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
    if (token.toLowerCase() === 'null') {
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
  let text = token
  try {
    if (!isBareWord(token)) text = JSON.parse(token)
  } catch {
    throw invalid(`${token.slice(0, 40)} is not a JSON text.`)
  }
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
  const time = timeOf(text)
  if (time === undefined) throw invalid(`${key} takes RFC 3339 times such as 2026-01-12T09:00:00Z.`)
  return time
}

const time_form = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/i

/** Any number of decimals is cut to milliseconds; without an offset it is UTC. */
function timeOf(text: string): string | undefined {
  const [, seconds = '0000', decimals = '', offset = 'Z'] = time_form.exec(text.trim()) ?? []
  const at = Date.parse(`${seconds}.${decimals.slice(0, 3).padEnd(3, '0')}${offset.toUpperCase()}`)
  const time = Number.isNaN(at) ? '' : new Date(at).toISOString()
  // An offset may lead out of the years from 1 to 9999.
  return [seconds, time].every((one) => /^(?!0000)\d{4}-/.test(one)) ? time : undefined
}
