import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalLocale } from './locale.ts'

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
