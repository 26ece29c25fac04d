/** The types of errors of RFC 7644 §3.12 and RFC 9865 §2.1, with those that have none. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidCursor'
  | 'expiredCursor'
  | 'invalidCount'

/** A refusal in SCIM's own shape; `detail` names the attribute and what to do. */
export class ScimError extends Error {
  readonly status: number
  readonly scim_type: ScimType | undefined

  constructor(status: number, scim_type: ScimType | undefined, detail: string) {
    super(detail)
    this.status = status
    this.scim_type = scim_type
  }
}

export const error_urn = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** The body of an error; `status` is a text (RFC 7644 §3.12). */
export function errorBody(status: number, scim_type: string | undefined, detail: string): object {
  return { schemas: [error_urn], status: String(status), ...(scim_type && { scimType: scim_type }), detail }
}

/** A refusal with 400 of this type. */
export const refuse = (scim_type: ScimType, detail: string) => new ScimError(400, scim_type, detail)
