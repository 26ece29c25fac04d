import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOfLine, faultOfLines, text_messages, tidy } from './text.ts'

for (const [what, text] of [
  ['letters of any script', 'Zoë Nguyễn 李 محمد Ελένη'],
  ['an emoji joined of several', 'Team 👩‍👩‍👧‍👦 of 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['a joiner that Persian needs', 'می‌خواهم'],
  ['nothing', ''],
] as const) {
  test(`a line may hold ${what}`, () => assert.equal(faultOfLine(text), null))
}

const ranges: [what: string, first: number, last: number][] = [
  ['C0', 0x00, 0x1f],
  ['DEL and C1', 0x7f, 0x9f],
  ['the Arabic letter mark', 0x61c, 0x61c],
  ['a mark of direction', 0x200e, 0x200f],
  ['separators, embeddings and overrides', 0x2028, 0x202e],
  ['isolates', 0x2066, 0x2069],
]
for (const [what, first, last] of ranges) {
  test(`no line holds ${what}, and several lines only line feeds of it`, () => {
    for (let point = first; point <= last; point += 1) {
      const text = `a${String.fromCodePoint(point)}b`
      assert.equal(faultOfLine(text), text_messages.line, `U+${point.toString(16)}`)
      assert.equal(faultOfLines(text), text === 'a\nb' ? null : text_messages.lines, `U+${point.toString(16)}`)
    }
  })
}

for (const text of [
  '\u200b',
  '\u2060\ufeff',
  '\u3164',
  '\u115f\u1160',
  '\u2800',
  '\u00ad',
  '\ufe0f',
  '\u0301',
  '\u{e0041}',
]) {
  test(`${JSON.stringify(text)} cannot be seen`, () => {
    assert.equal(faultOfLine(text), text_messages.visible)
    assert.equal(faultOfLines(`${text}\n${text}`), text_messages.visible)
  })
}

test('a text is kept composed, with line feeds and without blanks at its ends', () => {
  assert.equal(tidy('  Zoe\u0308\r\nLe\u0301a\r \u3000'), 'Zo\u00eb\nL\u00e9a')
})
