import type { Attribute } from './attribute.ts'
import { bulk_limits } from './bulk.ts'
import { listResponse, page_limits } from './list.ts'
import { resource_types } from './schema.ts'

const urn = (name: string) => `urn:ietf:params:scim:schemas:core:2.0:${name}`

/** The documents by which a client finds out what there is (RFC 7644 §4), by their paths. */
export function documentsOf(base: string): Record<string, (id: string) => object | undefined> {
  const described = (kind: string, path: string, id: string, document: object) => ({
    ...{ schemas: [urn(kind)], id, ...document, meta: { resourceType: kind, location: `${base}${path}/${id}` } },
  })
  const types = resource_types.map(({ schema, extensions, name, endpoint, description }) => {
    const more = extensions.map(({ id }) => ({ schema: id, required: false }))
    const schemaExtensions = more.length > 0 ? { schemaExtensions: more } : {}
    const document = { name, endpoint, description, schema: schema.id, ...schemaExtensions }
    return described('ResourceType', '/ResourceTypes', name, document)
  })
  const all = resource_types.flatMap(({ schema, extensions }) => [schema, ...extensions])
  const schemas = all.map(({ id, name, description, attributes }) =>
    // `id`, `externalId` and `meta` are common to all and not part of any schema (RFC 7643 §3.1).
    described('Schema', '/Schemas', id, {
      ...{ name, description },
      attributes: attributes.filter(({ name: own }) => !/^(id|externalId|meta)$/.test(own)).map(declared),
    }),
  )
  const lists = Object.entries({ '/ResourceTypes': types, '/Schemas': schemas }).flatMap(([path, resources]) => {
    const all = () => listResponse(resources, { totalResults: resources.length, startIndex: 1 })
    return [[path, all] as const, [`${path}/:id`, (id: string) => resources.find((one) => one.id === id)] as const]
  })
  return { '/ServiceProviderConfig': () => serviceProviderConfig(base), ...Object.fromEntries(lists) }
}

function declared({ subAttributes, stored: _, ...attribute }: Attribute): object {
  return { ...attribute, ...(subAttributes && { subAttributes: subAttributes.map(declared) }) }
}

const supported = { supported: true }
const scheme = (type: string, name: string, description: string, rfc: number) => ({
  ...{ type, name, description, specUri: `https://www.rfc-editor.org/info/rfc${rfc}` },
})
const of_token = 'A token of the organization with the scope scim:read or scim:write.'
const of_client = 'An access token that a client of the organization got by the client credentials grant.'

/** The abilities of the service (RFC 7643 §5, RFC 9865 §4). */
const serviceProviderConfig = (base: string) => ({
  ...{ schemas: [urn('ServiceProviderConfig')], patch: supported, sort: supported, etag: supported },
  bulk: { ...supported, maxOperations: bulk_limits.operations, maxPayloadSize: bulk_limits.bytes },
  ...{ filter: { ...supported, maxResults: page_limits.most }, changePassword: { supported: false } },
  pagination: {
    ...{ cursor: true, index: true, defaultPaginationMethod: 'index', defaultPageSize: page_limits.default },
    ...{ maxPageSize: page_limits.most, cursorTimeout: page_limits.cursor_s },
  },
  authenticationSchemes: [
    { ...scheme('oauthbearertoken', 'Organization token', of_token, 6750), primary: true },
    scheme('oauth2', 'OAuth client credentials', of_client, 6749),
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})
