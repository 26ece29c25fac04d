import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEmail } from './email.ts'

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
