import type { RequirementId } from '../requirements/requirements.ts'

/**
 * Says which demands of the interface specification the test around it proves. It does nothing at run time:
 * `test/requirements/coverage.test.ts` reads the citations from the source text.
 */
export function verifies(..._ids: [RequirementId, ...RequirementId[]]): void {}
