const characters_max = 1_000

/**
 * Text that somebody else wrote, without what could make it read otherwise than it is: control characters and marks that
 * turn the direction of writing (Unicode UAX 9). React shows it as text, whatever it looks like.
 */
export function plainText(text: string): string {
  const visible = text.replaceAll(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
  return [...visible].slice(0, characters_max).join('').trim()
}
