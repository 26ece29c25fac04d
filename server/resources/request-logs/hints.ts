import type { ReadRequest } from './request-log.store.ts'

/** The next step after a refusal of provisioning, by its scimType or the code of the problem, else by its status. */
const hints: Readonly<Record<string, string>> = {
  invalidFilter:
    'The filter cannot be read. Compare it with the attributes of GET /Schemas; texts stand in double quotes: userName eq "ana@example.org".',
  invalidSyntax: 'The body is not JSON, or not of the shape that this request takes. Send it as application/scim+json.',
  invalidPath:
    'The path names no attribute that is known here. Take the mapping of this attribute off at the identity provider.',
  noTarget: 'The path fits no element, or the removal names none. Let the identity provider send the whole value.',
  invalidValue:
    'A value is missing, is of another type, or names somebody who is not here. Check the attribute mapping, and push people before groups.',
  mutability:
    'An attribute that cannot change was written, or the last owner would lose access. Make somebody else owner first, or take the mapping off.',
  uniqueness:
    'A user or group of this name is linked already. Let the identity provider match by userName, or give one of the two another name.',
  tooMany: 'The answer would take too long. Narrow the filter.',
  invalidCursor: 'The page does not go on from here. Begin the import anew.',
  expiredCursor: 'The page is over an hour old. Begin the import anew.',
  invalidCount: 'The size of the pages changed on the way. Begin the import anew with one count.',
  insufficient_scope:
    'The credential lacks the right for this. Give it scim:write; where a team gives a role, an owner makes the credential.',
  rate_limited:
    'Too many requests at once. The identity provider tries again by itself; the operator can raise STINT_RATE_LIMIT_SCIM.',
  403: 'Provisioning takes an organization token or OAuth client credentials with scim:write, not the token of a person.',
  404: 'Nobody has this id any more. Let the identity provider match anew, by userName.',
  405: 'This address does not take the method. Check the base URL: it ends in /scim/v2.',
  409: 'It conflicts with what is here, and somebody has to decide: look for the person or team of this name.',
  412: 'It was changed meanwhile. The identity provider reads it anew and tries again.',
  413: 'The request is over 1 MiB. Send fewer operations at once.',
  415: 'Send bodies as application/scim+json or application/json in UTF-8.',
  501: 'There is no /Me: provisioning acts for the organization.',
}

export function hintOf({
  surface,
  status,
  error_code,
}: Pick<ReadRequest, 'surface' | 'status' | 'error_code'>): string | null {
  if (surface !== 'scim' || status < 400) return null
  const is_ours = status >= 500 && status !== 501
  return hints[error_code ?? ''] ?? hints[status] ?? (is_ours ? ours : refused)
}

const ours = 'The fault is on this side. It is tried again; if it stays, give the Request-Id to the operator.'
const refused = 'Compare the request with the guide for provisioning.'
