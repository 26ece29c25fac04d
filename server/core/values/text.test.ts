import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalLocale, faultOfLine, faultOfLines, isEmail, text_messages, tidy } from './text.ts'

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

for (const text of [
  'ada@harbour.example',
  "o'neill+pay@mail.harbour.example",
  'a.b-c_d@x-y.example',
  `${'a'.repeat(64)}@harbour.example`,
  'ada@xn--bcher-kva.example',
  'ada@2026.example',
]) {
  test(`${text} is an e-mail address`, () => assert.ok(isEmail(text)))
}

for (const [what, text] of [
  ['a domain of one label', 'root@localhost'],
  ['a quoted local part', '"ada b"@harbour.example'],
  ['an address literal', 'ada@[192.0.2.1]'],
  ['an address of IPv6', 'ada@[IPv6:2001:db8::1]'],
  ['a bare address', 'ada@192.0.2.1'],
  ['a last label of one letter', 'ada@harbour.e'],
  ['a dot at the start', '.ada@harbour.example'],
  ['a dot at the end', 'ada.@harbour.example'],
  ['two dots', 'ada..b@harbour.example'],
  ['two dots in the domain', 'ada@harbour..example'],
  ['a dot behind the domain', 'ada@harbour.example.'],
  ['a hyphen at the start of a label', 'ada@-harbour.example'],
  ['a local part of 65 characters', `${'a'.repeat(65)}@harbour.example`],
  ['a label of 64 characters', `ada@${'a'.repeat(64)}.example`],
  ['255 characters', `ada@${`${'a'.repeat(61)}.`.repeat(4)}exa`],
  ['two at signs', 'ada@b@harbour.example'],
  ['no local part', '@harbour.example'],
  ['no domain', 'ada@'],
  ['no at sign', 'ada.harbour.example'],
  ['a blank', 'ada @harbour.example'],
  ['a line break', 'ada@harbour.example\n'],
  ['letters of another script', 'ada@bücher.example'],
] as const) {
  test(`no e-mail address: ${what}`, () => assert.ok(!isEmail(text)))
}

for (const [tag, canonical] of [
  ['en', 'en'],
  ['EN-us', 'en-US'],
  ['ZH-HANS-cn', 'zh-Hans-CN'],
  ['iw', 'he'],
  ['de-1996', 'de-1996'],
] as const) {
  test(`${tag} is ${canonical}`, () => assert.equal(canonicalLocale(tag), canonical))
}

for (const tag of ['', 'english please', 'en_US', 'e', 'en-', ' en', `en-x${'-a'.repeat(16)}`]) {
  test(`${JSON.stringify(tag)} is no language tag`, () => assert.equal(canonicalLocale(tag), null))
}
