const fresh_s_min = 300
const fresh_s_max = 86_400
const fresh_s_default = 3_600

/** How long a document may be used without asking again, by its cache headers (RFC 9111 §4.2.1) within our bounds. */
export function freshnessOf(headers: Record<string, string | string[]>): number {
  const control = String(headers['cache-control'] ?? '').toLowerCase()
  if (/\bno-(store|cache)\b/.test(control)) return fresh_s_min
  const max_age = /(?:^|[,\s])max-age="?(\d{1,10})/.exec(control)?.[1]
  const seconds = max_age === undefined ? untilExpiry(headers) : Number(max_age) - ageOf(headers)
  return Math.min(fresh_s_max, Math.max(fresh_s_min, seconds))
}

/** From one clock to the same clock: ours has no say in it. */
function untilExpiry({ expires, date }: Record<string, string | string[]>): number {
  const seconds = (Date.parse(String(expires)) - Date.parse(String(date))) / 1_000
  return Number.isFinite(seconds) ? Math.floor(seconds) : fresh_s_default
}

function ageOf({ age }: Record<string, string | string[]>): number {
  return /^\d{1,10}$/.test(String(age)) ? Number(age) : 0
}
