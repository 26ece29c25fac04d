import { isQuery, isRepeatable, type Operation } from '../operation.ts'
import type { ProblemType } from './problem.ts'
import {
  bodyTooLarge,
  headersTooLarge,
  httpsRequired,
  idempotencyInProgress,
  idempotencyKeyReused,
  insufficientScope,
  internalError,
  invalidCursor,
  malformedJson,
  notFound,
  preconditionFailed,
  rateLimited,
  unauthenticated,
  unavailable,
  unsupportedMediaType,
  validationFailed,
} from './problems.ts'

/** Every problem an operation can answer with: those of all, those of its kind, and what it declares itself. */
export function problemsOf(operation: Operation): readonly ProblemType[] {
  const { path, input, scopes, scopes_for_others, roles, problems = [] } = operation
  const mayLackRights = scopes.length > 0 || scopes_for_others !== undefined || roles !== undefined
  return [
    validationFailed,
    unauthenticated,
    httpsRequired,
    ...(mayLackRights ? [insufficientScope] : []),
    ...('cursor' in input.properties ? [invalidCursor] : []),
    ...(path.includes(':') ? [notFound] : []),
    preconditionFailed,
    ...(isQuery(operation) ? [] : [malformedJson, bodyTooLarge]),
    unsupportedMediaType,
    headersTooLarge,
    ...(isRepeatable(operation) ? [idempotencyInProgress, idempotencyKeyReused] : []),
    ...problems,
    rateLimited,
    internalError,
    unavailable,
  ]
}
