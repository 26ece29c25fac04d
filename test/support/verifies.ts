import assert from 'node:assert/strict'
import { type RequirementId, requirements } from '../requirements/requirements.ts'

const texts = new Map<string, string>(requirements.map(({ id, text }) => [id, text]))

/**
 * The assertions that show these demands of the interface specification: those of `node:assert/strict`, which fail with the
 * ids and texts in front. They narrow no type, as an assertion must be called on a name for that.
 */
export interface Assertions {
  equal(actual: unknown, expected: unknown, detail?: string): void
  notEqual(actual: unknown, expected: unknown, detail?: string): void
  deepEqual(actual: unknown, expected: unknown, detail?: string): void
  ok(value: unknown, detail?: string): void
  match(value: string, pattern: RegExp, detail?: string): void
  doesNotMatch(value: string, pattern: RegExp, detail?: string): void
  rejects(work: Promise<unknown>, expected: RegExp, detail?: string): Promise<void>
}

/** `verifies('2.5.access-token').equal(body.expires_in, 3_600)`; `test/requirements/coverage.test.ts` reads the citations. */
export function verifies(...ids: [RequirementId, ...RequirementId[]]): Assertions {
  const broken = ids.map((id) => `${id}: ${texts.get(id)}`).join('\n')
  const words = (detail?: string) => (detail === undefined ? broken : `${broken}\n${detail}`)
  return {
    equal: (actual, expected, detail) => assert.equal(actual, expected, words(detail)),
    notEqual: (actual, expected, detail) => assert.notEqual(actual, expected, words(detail)),
    deepEqual: (actual, expected, detail) => assert.deepEqual(actual, expected, words(detail)),
    ok: (value, detail) => assert.ok(value, words(detail)),
    match: (value, pattern, detail) => assert.match(value, pattern, words(detail)),
    doesNotMatch: (value, pattern, detail) => assert.doesNotMatch(value, pattern, words(detail)),
    rejects: (work, expected, detail) => assert.rejects(work, expected, words(detail)),
  }
}
