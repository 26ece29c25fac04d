import type { FastifyInstance } from 'fastify'
import { isUtf8 } from '#core/values/json.ts'
import { OAuthError, type OAuthErrorCode } from './oauth-error.ts'

export const oauth_body_bytes_max = 65_536

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Takes a body of whatever media type as bytes: what it should have been is the endpoint's business to say. */
export function takeBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: oauth_body_bytes_max }, (_, bytes, done) =>
    done(null, bytes),
  )
}

const mediaTypes = { form: 'application/x-www-form-urlencoded', json: 'application/json' } as const

/** The text of a body that must have this media type; without a body, empty text. */
export function bodyText(
  { body, media_type }: { body: unknown; media_type: string | undefined },
  wanted: keyof typeof mediaTypes,
  code: OAuthErrorCode,
): string {
  if (!Buffer.isBuffer(body) || body.length === 0) return ''
  if (media_type?.split(';')[0]?.trim().toLowerCase() !== mediaTypes[wanted]) {
    throw new OAuthError(code, `body: must be sent as ${mediaTypes[wanted]}`)
  }
  if (!isUtf8(media_type)) throw new OAuthError(code, 'body: must be UTF-8', { status: 415 })
  try {
    return utf8.decode(body)
  } catch (cause) {
    throw new OAuthError(code, 'body: must be UTF-8', { cause })
  }
}
