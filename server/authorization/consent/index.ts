import type { ConsoleEndpoint } from '../console-endpoint.ts'
import type { ConsentParts } from './consent-parts.ts'
import { decideConsent } from './decide-consent.ts'
import { showConsent } from './show-consent.ts'

/** What the consent page calls. */
export function consentEndpoints(parts: ConsentParts): ConsoleEndpoint[] {
  return [showConsent(parts), decideConsent(parts)]
}
