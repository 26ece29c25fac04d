import { isQuery, type Operation, pathFields } from '#core/operation.ts'
import { fieldExample, requestExample } from './examples.ts'

type Fields = Record<string, unknown>

/** The example of an operation as a person calls it from a shell; address and token are variables, as the command line has them. */
export function curlExample(operation: Operation): string {
  const { method, path } = operation
  const ids = idsOf(operation)
  const address = pathFields(path).reduce<string>((filled, name) => filled.replace(`:${name}`, String(ids[name])), path)
  const body = bodyOf(operation)
  const query = new URLSearchParams(Object.entries(queryOf(operation)).map(([name, value]) => [name, String(value)]))
  const parts = [
    `curl "$STINT_URL/rest/v2${address}${query.size > 0 ? `?${query}` : ''}"`,
    '-H "Authorization: Bearer $STINT_TOKEN"',
  ]
  if (method !== 'GET' && !(method === 'POST' && body)) parts.push(`-X ${method}`)
  if (body) parts.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`)
  return parts.join(' \\\n  ')
}

/** The same with the client for TypeScript: one flat object, and lists that are walked. */
export function sdkExample(operation: Operation): string {
  const { id, method, output, file } = operation
  const input = { ...idsOf(operation), ...queryOf(operation), ...bodyOf(operation) }
  const given = Object.keys(input).length === 0 ? '' : textOf(input)
  const call = `stint.${id}(${given})`
  const { properties = {} } = output as { properties?: Fields }
  if (method === 'GET' && !file && 'has_more' in properties) {
    return `for await (const row of ${call}) {\n  console.log(row)\n}`
  }
  return operation.status === 204 ? `await ${call}` : `const answer = await ${call}`
}

const idsOf = (operation: Operation): Fields =>
  Object.fromEntries(pathFields(operation.path).map((name) => [name, fieldExample(operation, name)]))

/** The fields of a query that a call cannot do without. */
function queryOf(operation: Operation): Fields {
  const { path, input } = operation
  if (!isQuery(operation)) return {}
  // The cast holds because a schema of an object says so.
  const { required = [] } = input as { required?: string[] }
  const needed = required.filter(
    (name) => !pathFields(path).includes(name) && !('default' in (input.properties[name] ?? {})),
  )
  return Object.fromEntries(needed.map((name) => [name, fieldExample(operation, name)]))
}

function bodyOf(operation: Operation): Fields | undefined {
  if (isQuery(operation)) return undefined
  // The cast holds because the body of every operation is an object.
  const body = requestExample(operation) as Fields
  return Object.keys(body).length > 0 ? body : undefined
}

/** As a person writes it: names without quotation marks where they need none, texts in single ones. */
function textOf(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  if (Array.isArray(value)) return `[${value.map((one) => textOf(one, inner)).join(', ')}]`
  const members = Object.entries(value).map(([name, one]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : textOf(name)
    return `${key}: ${textOf(one, inner)}`
  })
  const line = `{ ${members.join(', ')} }`
  return line.length <= 80 ? line : `{\n${members.map((member) => `${inner}${member},`).join('\n')}\n${indent}}`
}
