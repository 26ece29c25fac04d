const steps: [unit: Intl.RelativeTimeFormatUnit, s: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
/** From this share of a unit on, what lies ahead is told in it: 24 hours but for some seconds are a day. */
const ahead_share = 0.99
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** `3 hours ago`, `in 2 days`; within a minute `just now` or the seconds to go. */
export function relativeTime(time: string, now_ms: number): string {
  const ahead_s = Math.round((Date.parse(time) - now_ms) / 1_000)
  // The future is rounded: a link of seven days that was just made does not end in six.
  const round = ahead_s > 0 ? Math.round : Math.trunc
  const [unit, s] = steps.find(([, size_s]) => Math.abs(ahead_s) >= size_s * (ahead_s > 0 ? ahead_share : 1)) ?? []
  if (unit && s) return relative.format(round(ahead_s / s), unit)
  return ahead_s > 5 ? `in ${ahead_s} s` : 'just now'
}

const seconds_format = { dateStyle: 'medium', timeStyle: 'medium' } as const
const utc_format = new Intl.DateTimeFormat('en-GB', { ...seconds_format, timeZone: 'UTC' })
const own_zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** `1 Nov 2026, 13:05:09 UTC`; null for a reader whose own zone it is. */
export const utcOf = (time: string) => (own_zone === 'UTC' ? null : `${utc_format.format(new Date(time))} UTC`)

/** The moment to the second, in the zone of the reader and in UTC. */
export function fullTime(time: string): string {
  const own = `${new Date(time).toLocaleString('en-GB', seconds_format)} ${own_zone}`
  return [own, utcOf(time)].filter(Boolean).join(' · ')
}

/** `840 ms`, `1.25 s`. */
export function durationOf(ms: number | null): string {
  if (ms === null) return '–'
  return ms < 1_000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`
}

const manyOf = (one: string) => (one === 'person' ? 'people' : `${one.replace(/(?<![aeiou])y$/, 'ie')}s`)

export const countOf = (count: number, one: string, many = manyOf(one)) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** `health_and_leave` as words. */
export const wordsOf = (name: string) => {
  const words = name.replaceAll(/[_-]/g, ' ')
  return words === 'scim' ? 'Provisioning (SCIM)' : words.charAt(0).toUpperCase() + words.slice(1)
}

export const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url)

/** JSON with two spaces, or the text as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** `12500.5` as `12,500.5`: every digit that the text has, and none more. */
export function amountOf(decimal: string): string {
  const decimals = decimal.split('.')[1]?.length ?? 0
  const format = new Intl.NumberFormat('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
  // A decimal text is formatted exactly (ECMA-402 2023); the cast holds because the API sends no other.
  return format.format(decimal as Intl.StringNumericLiteral)
}

/** An account as it is typed into the form of a bank: an IBAN in groups of four, or a number with its routing code. */
export function accountWords(account: {
  iban?: string | null
  account_number?: string | null
  routing_code?: string | null
}): string {
  if (account.iban) return account.iban.replaceAll(/(.{4})(?=.)/g, '$1 ')
  return [account.account_number, account.routing_code && `routing ${account.routing_code}`].filter(Boolean).join(', ')
}

const day_format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** `2026-11-01` as `1 Nov 2026`, in every zone. */
export const dayOf = (date: string) => day_format.format(new Date(`${date}T00:00:00Z`))

const exact_format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })

/** `1 Nov 2026, 14:05:09 CET`: to the second and with its zone, to be compared with what others have noted. */
export const exactMomentOf = (time: string) => exact_format.format(new Date(time))

const split_format = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  ...{ fractionalSecondDigits: 3, timeZoneName: 'short' },
} as const)

/** `1 Nov 2026, 14:05:09.125 CET`, where two moments of the same second are compared. */
export const splitSecondOf = (time: string) => split_format.format(new Date(time))

const moment_format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

/** `1 Nov 2026, 14:05`, in the zone of the reader. */
export const momentOf = (time: string) => moment_format.format(new Date(time))
