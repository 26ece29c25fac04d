import { hash } from 'node:crypto'

const line_feed = 10

/**
 * One number for the rows of a table, whatever their order: the sum of the SHA-256 of each, word by word. Rows are lines of
 * PostgreSQL's text format, in which a line feed inside a value is written as `\n`.
 */
export function createRowHash() {
  const words = new Uint32Array(8)
  let rows = 0
  return {
    /** Takes whole lines. */
    add(lines: Buffer): void {
      for (let begin = 0; begin < lines.length; rows += 1) {
        const end = lines.indexOf(line_feed, begin) + 1
        const digest = hash('sha256', lines.subarray(begin, end), 'buffer')
        for (let word = 0; word < words.length; word += 1)
          words[word] = (words[word] ?? 0) + digest.readUInt32BE(word * 4)
        begin = end
      }
    },
    result: () => ({ rows, row_hash: [...words].map((word) => word.toString(16).padStart(8, '0')).join('') }),
  }
}

/** Gathers what arrives into pieces of whole lines, each of `bytes_max` or of one line that is longer. */
export async function* wholeLines(chunks: AsyncIterable<Buffer>, bytes_max: number): AsyncGenerator<Buffer> {
  let gathered: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    gathered.push(chunk)
    bytes += chunk.length
    if (bytes < bytes_max) continue
    const all = Buffer.concat(gathered)
    const end = all.lastIndexOf(line_feed) + 1
    if (end > 0) yield all.subarray(0, end)
    gathered = [all.subarray(end)]
    bytes = all.length - end
  }
  if (bytes > 0) yield Buffer.concat(gathered)
}
