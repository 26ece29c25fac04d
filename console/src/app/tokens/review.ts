import type { Right } from '../../lib/session.ts'

interface Choice {
  rights: readonly Right[]
  chosen: readonly string[]
  sensitive: readonly Right[]
  sensitive_data: ReadonlySet<string>
  days: string
}

/** Says in sentences what was chosen. */
export function reviewOf({ rights, chosen, sensitive, sensitive_data, days }: Choice): string[] {
  const can = rights
    .filter(({ name }) => chosen.includes(name) || chosen.includes(name.replace(/:read$/, ':write')))
    .map(({ words }) => `${words}.`)
  const seen = sensitive.filter(({ name }) => sensitive_data.has(name)).map(({ words }) => words)
  return [
    ...(can.length > 0 ? can : ['Nothing yet: choose what it may do above.']),
    seen.length > 0 ? `With sensitive data: **${seen.join('; ')}**.` : 'Without any sensitive data.',
    days === '' ? 'It has **no end**; revoke it when it is not needed any more.' : `It ends after ${days} days.`,
  ]
}
