import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Node hands its collector out only behind a flag; one that is set later holds for new contexts. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}
