/** One clock for all processes of the machine; `performance.now` begins with each of them. */
export function monotonicNow_ms(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
