export type EmbeddedPostgresFault =
  | 'no_binaries'
  | 'data_folder_unusable'
  | 'data_folder_in_use'
  | 'identity_refused'
  | 'start_failed'

/** Why the embedded server cannot be used; `message` is written for the operator and says what to do next. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
  readonly code: EmbeddedPostgresFault

  constructor(code: EmbeddedPostgresFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
