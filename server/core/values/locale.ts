/** What RFC 5646 §4.4.1 reckons a tag needs. Longer ones are not looked at: reading one of 1 MB takes 0.1 s. */
export const locale_characters_max = 35

/** A language tag (BCP 47) in its canonical spelling: "en-us" is "en-US"; null for what is none. */
export function canonicalLocale(tag: string): string | null {
  if (tag.length > locale_characters_max) return null
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
