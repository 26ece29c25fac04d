import { domainToUnicode } from 'node:url'

/** Scripts that are told apart by name; letters of any other count as one more. */
const scripts = [
  ...['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Georgian', 'Hebrew', 'Arabic', 'Thai', 'Devanagari'],
  ...['Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo'],
].map((name) => ({ name, letters: new RegExp(`\\p{Script=${name}}`, 'u') }))

/** Written together as a matter of course (Unicode UTS 39 §5.2, highly restrictive). */
const together = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Hangul'],
  ['Latin', 'Han', 'Bopomofo'],
]

const shared = /[\p{Script=Common}\p{Script=Inherited}]/u

/**
 * The scripts that one word of a name mixes; empty when none does. Letters of one script that look like those of another
 * make a name look like another name.
 */
export function mixedScripts(text: string): string[] {
  const words = text.split(/[^\p{L}\p{M}\p{N}]+/u)
  return words.map(mixtureOf).find((mixture) => mixture.length > 0) ?? []
}

function mixtureOf(text: string): string[] {
  const letters = [...text].filter((character) => !shared.test(character))
  const found = [
    ...new Set(letters.map((letter) => scripts.find((one) => one.letters.test(letter))?.name ?? 'another script')),
  ]
  const isUsual = found.length < 2 || together.some((set) => found.every((name) => set.includes(name)))
  return isUsual ? [] : found
}

/**
 * A host in both its forms, so that a letter that only looks like another shows: `host` as it is asked for, in ASCII, and
 * `unicode_host` as people read it, the same where that is plain. Its letters are taken together: a name in Cyrillic letters
 * alone, before a Latin ending, can look all Latin.
 */
export function hostWords(host: string) {
  const { hostname, port } = URL.parse(`https://${host}`) ?? { hostname: '', port: '' }
  const unicode = domainToUnicode(hostname)
  const unicode_host = unicode ? unicode + (port && `:${port}`) : host
  return { host, unicode_host, mixed_scripts: mixtureOf(unicode_host) }
}
