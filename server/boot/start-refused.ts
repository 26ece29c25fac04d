/** What stops a start and what the operator can do about it; ends the process with status 78 (EX_CONFIG). */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}
