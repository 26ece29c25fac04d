import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostWords, mixedScripts } from './look-alike.ts'

const mixes: [text: string, scripts: string[]][] = [
  ['\u0430pple.example', ['Cyrillic', 'Latin']],
  ['g\u03bfogle', ['Latin', 'Greek']],
  ['\u0421laude', ['Cyrillic', 'Latin']],
  ['Desk \u0410ssistant', ['Cyrillic', 'Latin']],
  ['Pay\u0585nt', ['Latin', 'Armenian']],
  ['st\u13a2nt', ['Latin', 'Cherokee']],
  ['\u0561\u1200', ['Armenian', 'another script']],
]
for (const [text, scripts] of mixes) {
  test(`mixed scripts: ${JSON.stringify(text)} mixes ${scripts.join(' and ')}`, () =>
    assert.deepEqual(mixedScripts(text), scripts))
}

const plain = [
  'claude.ai',
  'm\u00fcnchen.example',
  'M\u00fcller & S\u00f8n 2',
  '\u041f\u0440\u0438\u043c\u0435\u0440 Cloud',
]
for (const text of [
  ...plain,
  '\u30c6\u30b9\u30c8abc\u6f22\u5b57',
  '\ud55c\uad6dLab',
  'cafe\u0301',
  '127.0.0.1:8080',
  '',
]) {
  test(`mixed scripts: ${JSON.stringify(text)} mixes none`, () => assert.deepEqual(mixedScripts(text), []))
}

const hosts: [host: string, unicode_host: string, mixed_scripts: string[]][] = [
  ['app.example', 'app.example', []],
  ['xn--mnchen-3ya.example:8443', 'm\u00fcnchen.example:8443', []],
  ['xn--pple-43d.example', '\u0430pple.example', ['Cyrillic', 'Latin']],
  ['xn--80ak6aa92e.example', '\u0430\u0440\u0440\u04cf\u0435.example', ['Cyrillic', 'Latin']],
  ['xn--r8jz45g.example', '\u4f8b\u3048.example', []],
  ['[::1]:33418', '[::1]:33418', []],
  ['com.example.app', 'com.example.app', []],
]
for (const [host, unicode_host, mixed_scripts] of hosts) {
  test(`a host: ${host} reads as ${unicode_host}`, () =>
    assert.deepEqual(hostWords(host), { host, unicode_host, mixed_scripts }))
}
