/** A TLS setting that only the operator can correct; the message says what is wrong and with which file. */
export class TlsConfigurationError extends Error {
  override readonly name = 'TlsConfigurationError'
}
