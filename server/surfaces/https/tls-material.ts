/** What the listener identifies itself with. */
export interface TlsMaterial {
  /** PEM, the server's own certificate first. */
  cert: string
  /** PEM, not encrypted. */
  key: string
  /** What a client must trust, where the certificate is ours; null for the operator's own files. */
  ca_file: string | null
  source: 'generated' | 'files'
  /** End of the server's own certificate, milliseconds since 1970. */
  expires_at: number
}
