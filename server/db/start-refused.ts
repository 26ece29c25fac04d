/** The reason to stop a start, and the operator's remedy; ends the process with status 78 (EX_CONFIG). */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}
