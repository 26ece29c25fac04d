import type { FastifyRequest } from 'fastify'

/** True when a browser asks for something to show, not a program: a page's scripts send an `Accept` of their own. */
export function prefersPage({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return (method === 'GET' || method === 'HEAD') && /(^|,)\s*text\/html\s*(;|,|$)/.test(headers.accept ?? '')
}
