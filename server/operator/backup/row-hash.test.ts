import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRowHash, wholeLines } from './row-hash.ts'

const hashOf = (...pieces: string[]) => {
  const rowHash = createRowHash()
  for (const piece of pieces) rowHash.add(Buffer.from(piece))
  return rowHash.result()
}

test('the hash of rows is that of the rows, not of their order or of the pieces in which they came', () => {
  const rows = hashOf('1\ta\n2\tb\n3\t\\N\n')
  assert.equal(rows.rows, 3)
  assert.deepEqual(hashOf('3\t\\N\n', '1\ta\n2\tb\n'), rows)
})

test('a row that is changed, missing, doubled or exchanged for a double changes the hash', () => {
  const hashes = ['1\n2\n3\n', '1\n2\n4\n', '1\n2\n', '1\n2\n3\n3\n', '1\n1\n3\n', '1\n2\t\n3\n', ''].map((text) =>
    hashOf(text),
  )
  assert.equal(new Set(hashes.map(({ row_hash }) => row_hash)).size, hashes.length)
})

test('pieces of whole lines hold all that came, and a line that is longer than a piece is one', async () => {
  const text = `short\n${'long'.repeat(50)}\n${'middle\n'.repeat(20)}end\n`
  const chunks = async function* () {
    for (let at = 0; at < text.length; at += 7) yield Buffer.from(text.slice(at, at + 7))
  }
  const pieces: string[] = []
  for await (const piece of wholeLines(chunks(), 32)) pieces.push(piece.toString())
  assert.equal(pieces.join(''), text)
  assert.ok(pieces.length > 3 && pieces.every((piece) => piece.endsWith('\n')), JSON.stringify(pieces))
})
