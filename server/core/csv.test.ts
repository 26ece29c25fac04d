import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvOf } from './csv.ts'

/** A text as a cell: quoted as RFC 4180 asks, and with no line that a spreadsheet would take for a formula. */
const cells: Record<string, string> = {
  plain: 'plain',
  'a,b': '"a,b"',
  'a"b': '"a""b"',
  'a\nb': '"a\nb"',
  'a\rb': '"a\rb"',
  'a\r\nb': '"a\r\nb"',
  '=1+1': "'=1+1",
  '+1': "'+1",
  '-1': "'-1",
  '@a': "'@a",
  '\ta': "'\ta",
  'Taxi\n=cmd': '"Taxi\n\'=cmd"',
  'Taxi\r\n@a': '"Taxi\r\n\'@a"',
  'Taxi; =1+1': "Taxi;' =1+1",
  ';=1+1 d': ";'=1+1 d",
  ';"=1+1"': `";'""=1+1"""`,
  '"=1+1"': `"'""=1+1"""`,
  'Taxi\t+1': "Taxi\t'+1",
  ' =1+1': "' =1+1",
  '＝1+1': "'＝1+1",
  ';－1': ";'－1",
  'a;b = c - d': 'a;b = c - d',
  'Taxi\nINV-2027-999999;paid': '"Taxi\nINV-2027-999999;paid"',
}

test('a text that somebody wrote is one cell of its row, and no formula; a number stays one', () => {
  for (const [text, cell] of Object.entries(cells)) {
    const file = csvOf(['text', 'amount'], new Set(['amount']), [{ text, amount: '-1.00' }])
    assert.equal(file, `text,amount\r\n${cell},-1.00\r\n`, JSON.stringify(text))
  }
})
