const width = 30
const every_ms = 100

/** A line on the terminal that tells how much is done; nothing where nobody looks. */
export function progressBar(name: string, to: NodeJS.WriteStream = process.stderr) {
  let shown_at = Number.NEGATIVE_INFINITY
  let is_shown = false
  return {
    /** From 0 to 1. */
    show(done: number): void {
      if (!to.isTTY || performance.now() - shown_at < every_ms) return
      shown_at = performance.now()
      is_shown = true
      const part = Math.min(1, done)
      const bar = '#'.repeat(Math.round(part * width)).padEnd(width, '.')
      to.write(`\r${name} [${bar}] ${String(Math.floor(part * 100)).padStart(3)} %`)
    },
    /** Takes the line away. */
    end(): void {
      if (is_shown) to.write('\r\x1b[K')
    },
  }
}
