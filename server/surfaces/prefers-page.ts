import type { FastifyRequest } from 'fastify'

/** Whether a browser asks for something to show, and no program: a page's own scripts send an `Accept` of their own. */
export function prefersPage({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return (method === 'GET' || method === 'HEAD') && /(^|,)\s*text\/html\s*(;|,|$)/.test(headers.accept ?? '')
}
