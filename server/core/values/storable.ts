import type { FieldError } from '../problems.ts'

/** Levels of objects and lists that an input may have; the deepest schema has 4. */
const nesting_levels_max = 16

/** Fields and items of an input, over all levels; the largest schema has some hundreds. */
export const values_max = 10_000

/** Whether an input is small enough to be looked at closely: checking 90,000 unknown fields took a second. */
export function isSmall(input: unknown): boolean {
  const waiting = [input]
  for (let values = 0; waiting.length > 0; ) {
    const part = waiting.pop()
    if (typeof part !== 'object' || part === null) continue
    const children: unknown[] = Array.isArray(part) ? part : Object.values(part)
    values += children.length
    if (values > values_max) return false
    waiting.push(...children)
  }
  return true
}

/**
 * What no column of the database can hold, wherever it stands in an input: NUL characters and halves of surrogate
 * pairs (PostgreSQL refuses both in text and in jsonb), and values nested so deep that walking them could end a
 * process. Stops at `errors_max` mistakes.
 */
export function unstorable(value: unknown, errors_max: number): FieldError[] {
  const errors: FieldError[] = []
  const walk = (part: unknown, pointer: string, level: number): void => {
    if (errors.length >= errors_max) return
    if (typeof part === 'string') {
      if (!isStorable(part)) errors.push({ pointer, message: 'has characters that are not allowed' })
      return
    }
    if (typeof part !== 'object' || part === null) return
    if (level > nesting_levels_max) {
      errors.push({ pointer, message: `is nested more than ${nesting_levels_max} levels deep` })
      return
    }
    for (const [name, child] of Object.entries(part)) {
      if (!isStorable(name)) errors.push({ pointer, message: 'has a field whose name is not allowed' })
      else walk(child, `${pointer}/${escapePointer(name)}`, level + 1)
    }
  }
  walk(value, '', 1)
  return errors
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** RFC 6901 §3. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
