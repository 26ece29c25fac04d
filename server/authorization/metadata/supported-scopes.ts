import type { Scope } from '#core/caller.ts'
import type { RegisteredOperation, Registry } from '#core/registry.ts'
import { default_scopes, scopes } from '#identity/scopes.ts'

/** The scopes that a client can ask for and use now. Many clients ask their user for every scope that they read here. */
export function scopesOfServer(registry: Registry): Scope[] {
  return scopes.filter((scope) => scopesOfOperations(registry).includes(scope) || default_scopes.includes(scope))
}

/** The scopes of the operations that exist. */
export function scopesOfOperations({ operations }: Registry): Scope[] {
  return usedBy(operations)
}

/** The scopes that the contract names for tools, and those of the tools that exist. */
export function scopesOfTools({ operations }: Registry): Scope[] {
  const used = usedBy(operations.filter(({ definition }) => definition.tool))
  return scopes.filter((scope) => used.includes(scope) || default_scopes.includes(scope))
}

function usedBy(operations: readonly RegisteredOperation[]): Scope[] {
  const used = new Set(operations.flatMap(({ definition }) => definition.scopes))
  return scopes.filter((scope) => used.has(scope))
}
