import { distance } from 'fastest-levenshtein'

/** A word further away than this part of its length is another word, not a typing error. */
const distance_share_max = 0.4

/** The known word that somebody most likely meant, or undefined when none is near. */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  const far = Math.floor(word.length * distance_share_max) + 1
  const near = [...known].map((candidate) => ({ candidate, steps: distance(word, candidate) }))
  return near.filter(({ steps }) => steps < far).sort((a, b) => a.steps - b.steps)[0]?.candidate
}
