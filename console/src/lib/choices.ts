/** The zones that this browser knows, the own one among them whatever it is called. */
export function timeZoneOptions(): { value: string; words: string }[] {
  const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ownTimeZone()])
  return [...zones].sort().map((zone) => ({ value: zone, words: zone.replaceAll('_', ' ') }))
}

export function ownTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
}

export function currencyOptions(currencies: readonly string[]): { value: string; words: string }[] {
  const names = new Intl.DisplayNames('en', { type: 'currency' })
  return currencies.map((code) => ({ value: code, words: `${code} · ${names.of(code) ?? code}` }))
}

/** By the region of the browser's language; what is not here is chosen by hand. */
const by_region: Record<string, string> = {
  US: 'USD',
  GB: 'GBP',
  CH: 'CHF',
  CA: 'CAD',
  AU: 'AUD',
  JP: 'JPY',
  IN: 'INR',
}

export function likelyCurrency(currencies: readonly string[]): string {
  // Read by hand: some systems put there what is no language tag, such as en-US@posix.
  const region = /-([A-Z]{2})\b/.exec(navigator.language)?.[1] ?? ''
  const likely = by_region[region] ?? 'EUR'
  return currencies.includes(likely) ? likely : (currencies[0] ?? '')
}
