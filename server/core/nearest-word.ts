/** A word further away than this part of its length is another word, not a typing error. */
const distance_share_max = 0.4

/** The known word that somebody most likely meant, or undefined when none is near. */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined
  let least = Math.floor(word.length * distance_share_max) + 1
  for (const candidate of known) {
    const distance = distanceBetween(word, candidate)
    if (distance < least) [nearest, least] = [candidate, distance]
  }
  return nearest
}

/** Letters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
function distanceBetween(one: string, other: string): number {
  const distances = new Map<string, number>()
  const from = (row: number, column: number) => distances.get(`${row},${column}`) ?? Number.POSITIVE_INFINITY
  for (let row = 0; row <= one.length; row += 1) {
    for (let column = 0; column <= other.length; column += 1) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const steps = [from(row - 1, column) + 1, from(row, column - 1) + 1, from(row - 1, column - 1) + cost]
      const swapped = isSwap ? from(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY
      distances.set(`${row},${column}`, row + column === 0 ? 0 : Math.min(...steps, swapped))
    }
  }
  return from(one.length, other.length)
}
