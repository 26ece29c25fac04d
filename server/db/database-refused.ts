/** The database of `DATABASE_URL` cannot be used; the message says what to put right. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused'
}
