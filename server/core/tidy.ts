import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Later than the first calls, which wait for nothing then. */
const tidy_after_ms = 5_000

/**
 * Collects the garbage of the start in this thread, once: half of what it holds then, and V8 never looks while it idles
 * (256 MiB became 124, for a pause of 0.1 s).
 */
export function tidyLater(): void {
  setTimeout(collectGarbage, tidy_after_ms).unref()
}

/** Node hands its collector out only behind a flag; one that is set later holds for new contexts, of all threads. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}
