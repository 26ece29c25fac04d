import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordsOf } from './search.ts'

test('words are found without case, accents and punctuation', () => {
  for (const [texts, words] of [
    [['Zoë Müller-Lüdenscheid'], ['zoe', 'muller', 'ludenscheid']],
    [['Weiß Łukasz Ærø Þór'], ['weiss', 'lukasz', 'aero', 'thor']],
    [['jonas.weber+x@harbour.example'], ['jonas', 'weber', 'x', 'harbour', 'example']],
    [
      ['ＦＵＬＬ ｗｉｄｔｈ', null, undefined, 'full'],
      ['full', 'width'],
    ],
    [['İstanbul', 'ISTANBUL'], ['istanbul']],
    [['東京 Йод'], ['東京', 'иод']],
    [['C-03 №7'], ['c', '03', 'no7']],
    [[' -- '], []],
  ] as const) {
    assert.deepEqual(wordsOf(...texts), words, texts.join(' | '))
  }
})

test('what is written for one row is bounded', () => {
  const words = wordsOf(Array.from({ length: 1_000 }, (_, index) => `${'x'.repeat(100)}${index}`).join(' '))
  assert.deepEqual(words, ['x'.repeat(64)])
  assert.equal(wordsOf(Array.from({ length: 1_000 }, (_, index) => `w${index}`).join(' ')).length, 32)
})
