import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { Registry } from '#core/registry.ts'
import { sendFile } from '../http-server.ts'
import { type DocumentAddresses, openApiDocument } from './openapi-document.ts'

const types = { json: 'application/json; charset=utf-8', yaml: 'application/yaml; charset=utf-8' }
type Form = keyof typeof types

/** Serves `GET /openapi.json` and `.yaml` to everyone; each is made at its first request and kept, since a registry never changes. */
export function mountOpenApi(app: FastifyInstance, registry: Registry, addresses: DocumentAddresses): void {
  const made: Partial<Record<Form, ReturnType<typeof write>>> = {}
  for (const form of ['json', 'yaml'] as const) {
    app.get(`/openapi.${form}`, async (request, reply) => {
      made[form] ??= write(form, openApiDocument(registry, addresses))
      const { file, etag } = await made[form]
      reply.headers({ ETag: etag, 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' })
      const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
      if (known?.some((tag) => `W/${tag}` === etag || tag === '*')) {
        return reply.header('Vary', 'Accept-Encoding').code(304).send()
      }
      return sendFile(request, reply, file)
    })
  }
}

/** Quoted also where only YAML 1.1 asks for it, which many readers still follow: `NO` is no boolean. */
async function yamlOf(document: object): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(document, { aliasDuplicateObjects: false, compat: 'yaml-1.1' })
}

/** Loads the writer of YAML only where somebody asks for it. The tag is weak: it stands for the text in every encoding. */
async function write(form: Form, document: object) {
  const plain = Buffer.from(form === 'json' ? JSON.stringify(document) : await yamlOf(document))
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(plain, options), promisify(gzip)(plain)])
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  return { file: { type: types[form], plain, br, gzip: gzipped }, etag: `W/"${digest}"` }
}
