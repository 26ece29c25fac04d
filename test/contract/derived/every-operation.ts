import assert from 'node:assert/strict'
import { events, operations } from '#boot/operations.ts'
import { type Operation, pathFields } from '#core/operation.ts'
import { createRegistry, type RegisteredOperation } from '#core/registry.ts'
import type { TSchema } from '#core/schema/schema.ts'

export const registry = createRegistry(operations, events)

export const everyOperation: readonly Operation[] = registry.operations.map(({ definition }) => definition)

/** A JSON Schema as plain data. */
export type Schema = Record<string, unknown>

/** The cast holds because a schema of ours is JSON Schema as it stands. */
export const plain = (schema: TSchema): Schema => schema as unknown as Schema

export const hasBody = ({ method }: Operation): boolean => ['POST', 'PATCH', 'PUT'].includes(method)
export const isRepeatable = ({ method }: Operation): boolean => method === 'POST' || method === 'PATCH'
export const isList = ({ method, input }: Operation): boolean => method === 'GET' && 'cursor' in input.properties
/** A list whose last page has a cursor too, because more rows come later. */
export const isFeed = (operation: Operation): boolean => {
  const { cursor } = (plain(operation.output).properties ?? {}) as { cursor?: Schema }
  return isList(operation) && cursor?.type === 'string'
}
export const isWorkers = ({ scopes }: Operation): boolean => scopes.some((scope) => scope.startsWith('worker:'))

/** Names of the input fields that do not travel in the path. */
export function freeFields({ path, input }: Operation): string[] {
  const inPath = pathFields(path)
  return Object.keys(input.properties).filter((name) => !inPath.includes(name))
}

export function registered({ id }: Operation): RegisteredOperation {
  return registry.operation(id)
}

const error_characters_max = 600

/**
 * Runs a check for each operation and fails with all operations that broke it, not only the first: a rule that does
 * not hold for one operation mostly fails for several, and the list shows the pattern.
 */
export async function holdsFor(
  which: readonly Operation[],
  check: (operation: Operation) => Promise<void> | void,
): Promise<void> {
  const broken: string[] = []
  for (const operation of which) {
    try {
      await check(operation)
    } catch (error) {
      const told = error instanceof Error && error.cause !== undefined ? `${error.cause}; ${error}` : String(error)
      broken.push(`${operation.id}: ${told.replaceAll(/\s+/g, ' ').slice(0, error_characters_max)}`)
    }
  }
  assert.ok(which.length > 0, 'no operation to check')
  assert.deepEqual(broken, [])
}
