import type { Attribute } from './attribute.ts'
import { bulk_limits } from './bulk.ts'
import { listResponse, page_limits } from './list.ts'
import { refuse } from './refusals.ts'
import { resource_types } from './schema.ts'

const urn = (name: string) => `urn:ietf:params:scim:schemas:core:2.0:${name}`

/** The documents by which a client finds out what there is (RFC 7644 §4), by their paths. */
export function documentsOf(base: string): Record<string, (id: string) => object> {
  const lists = { '/ResourceTypes': resourceTypes(base), '/Schemas': schemas(base) }
  const served = Object.entries(lists).flatMap(([path, resources]) => {
    const one = (id: string) => {
      const found = resources.find((resource) => resource.id === id)
      if (!found) throw refuse('not_found', `There is no ${id} here.`)
      return found
    }
    const all = () => listResponse(resources, { totalResults: resources.length, startIndex: 1 })
    return [[path, all] as const, [`${path}/:id`, one] as const]
  })
  return { '/ServiceProviderConfig': () => serviceProviderConfig(base), ...Object.fromEntries(served) }
}

/** The abilities of the service (RFC 7643 §5, RFC 9865 §4). */
function serviceProviderConfig(base: string) {
  return {
    schemas: [urn('ServiceProviderConfig')],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: bulk_limits.operations, maxPayloadSize: bulk_limits.bytes },
    filter: { supported: true, maxResults: page_limits.most },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize: page_limits.default,
      maxPageSize: page_limits.most,
      cursorTimeout: page_limits.cursor_s,
    },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Organization token',
        description: 'A token of the organization with the scope scim:read or scim:write.',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
      {
        type: 'oauth2',
        name: 'OAuth client credentials',
        description: 'An access token that a client of the organization got by the client credentials grant.',
        specUri: 'https://www.rfc-editor.org/info/rfc6749',
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}

function resourceTypes(base: string) {
  return resource_types.map(({ name, endpoint, description, schema, extensions }) => ({
    schemas: [urn('ResourceType')],
    id: name,
    name,
    endpoint,
    description,
    schema: schema.id,
    ...(extensions.length > 0 && { schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })) }),
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }))
}

function schemas(base: string) {
  const all = resource_types.flatMap(({ schema, extensions }) => [schema, ...extensions])
  return all.map(({ id, name, description, attributes }) => ({
    schemas: [urn('Schema')],
    ...{ id, name, description },
    // `id`, `externalId` and `meta` are common to all and not part of any schema (RFC 7643 §3.1).
    attributes: attributes.filter(({ name: own }) => !/^(id|externalId|meta)$/.test(own)).map(described),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  }))
}

function described({ subAttributes, stored: _, ...attribute }: Attribute): object {
  return { ...attribute, ...(subAttributes && { subAttributes: subAttributes.map(described) }) }
}
