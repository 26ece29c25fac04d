import type { FastifyRequest } from 'fastify'

/** Whether the client prefers a stream to JSON (RFC 9110, section 12.5.1); it has to name it, and HEAD asks for none. */
export function acceptsEventStream({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  if (method !== 'GET') return false
  const ranges = (headers.accept ?? '').split(',').map(weighted)
  const weightOf = (wanted: string) => ranges.find(([range]) => range === wanted)?.[1] ?? 0
  const stream = weightOf('text/event-stream')
  return stream > 0 && stream >= weightOf('application/json')
}

function weighted(range: string): [range: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
  return [type, Number.isNaN(weight) ? 0 : weight]
}
