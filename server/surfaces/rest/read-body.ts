import type { FastifyInstance } from 'fastify'
import { malformedJson } from '#core/problems/problems.ts'

export const body_bytes_max = 1_048_576

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** JSON in UTF-8 and nothing else; an empty body is no body, as actions without input send it. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, bytes, done) => {
    try {
      const text = utf8.decode(bytes as Buffer)
      done(null, text.trim() === '' ? undefined : JSON.parse(text))
    } catch (cause) {
      done(
        malformedJson(cause instanceof SyntaxError ? 'The body is not valid JSON.' : 'The body is not valid UTF-8.', {
          cause,
        }),
      )
    }
  })
}
