import type { FastifyInstance } from 'fastify'
import { malformedJson, unsupportedMediaType, validationFailed } from '#core/problems.ts'
import { errors_max } from '#core/schema/validate.ts'
import { isUtf8, readJson } from '#core/values/json.ts'
import { escapePointer } from '#core/values/storable.ts'

export const body_bytes_max = 1_048_576

/** JSON in UTF-8 and nothing else; an empty body is no body, as actions without input send it. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (!isUtf8(request.headers['content-type'])) {
      return done(unsupportedMediaType('Send the body in UTF-8, with `Content-Type: application/json`.'))
    }
    if (/^[ \t\r\n]*$/.test((bytes as Buffer).toString('latin1'))) return done(null, undefined)
    const read = readJson(bytes as Buffer)
    if ('fault' in read) return done(malformedJson(read.fault, { cause: read.cause }))
    done(null, read.value)
  })
}

/** For every surface, before a body is read: what is sent packed, or is no UTF-8 where it is unpacked. */
export function refuseUnreadable(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _, payload, done) => {
    const refusal = refusalOfCoding(request.headers['content-encoding']) ?? refusalOfTarget(request.raw.url)
    done(refusal, payload)
  })
}

/** RFC 9110 §8.4 and §12.5.3: the answer says what would be taken. */
function refusalOfCoding(coding: string | undefined) {
  if (coding === undefined || /^\s*(identity)?\s*$/i.test(coding)) return null
  const headers = { 'Accept-Encoding': 'identity' }
  return unsupportedMediaType('Send the body as it is, without Content-Encoding.', { headers })
}

/** Percent-encoded UTF-8 (RFC 3986 §2.1). What is broken in the path the router refuses by itself. */
function refusalOfTarget(target = '') {
  if (/[^!-~]/.test(target)) return validationFailed('The address has characters that must be percent-encoded.')
  const start = target.indexOf('?')
  const pairs = start < 0 ? [] : target.slice(start + 1).split('&')
  const broken = pairs.filter((pair) => !isDecodable(pair)).map((pair) => pair.split('=')[0] ?? '')
  if (broken.length === 0) return null
  const errors = broken.slice(0, errors_max).map((name) => ({
    pointer: `/${escapePointer(name)}`,
    message: 'is not percent-encoded UTF-8',
  }))
  return validationFailed(undefined, { errors })
}

function isDecodable(text: string): boolean {
  try {
    // The result is used: a bundler drops a call whose result is not, and with it the error that is waited for here.
    return text === '' || decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}
