import type { Json } from '#surfaces/openapi/components.ts'
import { notesOf } from '#surfaces/openapi/schema-words.ts'

/**
 * An answer may hold words that a newer service has added, so its enumerations are open. An input is held to the words
 * of this version, and may be a list that nobody changes.
 */
export type Side = 'answer' | 'input'

export type Schemas = Record<string, Json>
export type TypeWriter = ReturnType<typeof createTypeWriter>

/** Writes schemas of the OpenAPI document as TypeScript, and remembers the components that what it wrote names. */
export function createTypeWriter(schemas: Schemas) {
  const named: Record<Side, Set<string>> = { answer: new Set(), input: new Set() }

  const nameOf = (ref: unknown) => String(ref).split('/').at(-1) ?? ''
  /** The schema behind a reference; any other is itself. */
  const resolve = (schema: Json): Json => ('$ref' in schema ? (schemas[nameOf(schema.$ref)] ?? {}) : schema)

  function typeOf(schema: Json, side: Side): string {
    if ('$ref' in schema) return referenceTo(schema, side)
    if (Array.isArray(schema.anyOf)) return schema.anyOf.map((each) => typeOf(each, side)).join(' | ')
    if ('const' in schema) return JSON.stringify(schema.const)
    if (Array.isArray(schema.enum)) {
      const words = schema.enum.map((word) => `'${word}'`).join(' | ')
      return side === 'answer' ? `Open<${words}>` : words
    }
    switch (schema.type) {
      case 'array':
        return `${side === 'input' ? 'Readonly' : ''}Array<${typeOf(schema.items as Json, side)}>`
      case 'object':
        return schema.properties ? `{\n${membersOf(schema, side)}\n}` : 'Record<string, unknown>'
      case 'integer':
      case 'number':
        return 'number'
      case 'string':
      case 'boolean':
      case 'null':
        return schema.type
      case undefined:
        return 'unknown'
      default:
        throw new Error(`no TypeScript for ${JSON.stringify(schema)}`)
    }
  }

  /** A component that is no object (an id, a time, a list of words) is written out: a name would hide what it is. */
  function referenceTo(reference: Json, side: Side): string {
    const name = nameOf(reference.$ref)
    const schema = resolve(reference)
    if (schema.type !== 'object' || !schema.properties) return typeOf(schema, side)
    named[side].add(name)
    return nameOn(side, name)
  }

  /** The members of an object, one on a line, each under its words. */
  function membersOf(schema: Json, side: Side): string {
    const required = (schema.required ?? []) as string[]
    return Object.entries((schema.properties ?? {}) as Schemas)
      .map(([name, member]) => {
        const isNeeded = required.includes(name)
        const type = typeOf(member, side)
        const words = comment(notesOf({ ...resolve(member), ...member }))
        return `${words}${name}${isNeeded ? '' : '?'}: ${type}${isNeeded || side === 'answer' ? '' : ' | undefined'}`
      })
      .join('\n')
  }

  /** Every component that was named, and those that these name, each as an interface. */
  function interfaces(): string[] {
    const written = new Map<string, string>()
    for (const side of ['answer', 'input'] as const) {
      // A set that grows while it is walked is walked to its new end.
      for (const name of named[side]) {
        const schema = schemas[name] ?? {}
        const text = `${comment(notesOf(schema))}export interface ${nameOn(side, name)} {\n${membersOf(schema, side)}\n}`
        written.set(nameOn(side, name), text)
      }
    }
    return [...written].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  }

  return { typeOf, membersOf, interfaces, resolve }
}

/** The two sides of a component are two types: `Tax` is what is answered, `TaxInput` what is sent. */
function nameOn(side: Side, name: string): string {
  return side === 'answer' || /Input(?=[A-Z]|$)/.test(name) ? name : `${name}Input`
}

export function comment(words: string): string {
  if (words === '') return ''
  const lines = words.replaceAll('*/', '*\\/').split('\n')
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

/** Puts each line as far in as braces are open before it. */
export function indented(text: string): string {
  let depth = 0
  return text
    .split('\n')
    .map((line) => {
      const code = /^ ?(\/\*|\*)/.test(line) ? '' : line
      const closes_first = code.startsWith('}') ? 1 : 0
      const at = '  '.repeat(depth - closes_first)
      depth += (code.match(/\{/g) ?? []).length - (code.match(/\}/g) ?? []).length
      return line === '' ? '' : `${at}${line}`
    })
    .join('\n')
}
