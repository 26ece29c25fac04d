import assert from 'node:assert/strict'

/** The pattern that SECURITY.md publishes for secret scanners. */
const secret = /(?<![0-9A-Za-z_])stint_(?:test_)?(?:org|pat|wkr|oat|ort|oac|ocs)_[0-9A-Za-z]{49}(?![0-9A-Za-z_])/

/** leak.logs: no line of a whole run holds a secret. */
export function assertNoSecretIn(lines: readonly string[]): void {
  assert.ok(lines.length > 0, 'nothing was logged')
  assert.deepEqual(
    lines.filter((line) => secret.test(line)),
    [],
  )
}
