import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchedWords, wordsOf } from './table.ts'

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

const text = (word: string) => Array.from({ length: 1_000 }, (_, index) => `${word}${index}`).join(' ')

test('a word is bounded, and so is what one search looks for', () => {
  assert.deepEqual(wordsOf(text('x'.repeat(100))), ['x'.repeat(64)])
  assert.equal(searchedWords(text('w')).length, 32)
})

test('every word of a stored text is kept', () => {
  assert.equal(wordsOf(text('w')).length, 1_000)
})
