import { randomUUID } from 'node:crypto'
import { type Command, exitStatus, print, textFlag, UsageError } from '../command.ts'
import { send } from '../service/client.ts'
import { connect, profileOption } from '../service/connection.ts'
import type { Json } from '../service/document.ts'
import { linesOf, tableOf } from '../service/text.ts'

type Method = 'get' | 'post' | 'patch' | 'put' | 'delete'

const examples: Record<Method, readonly string[]> = {
  get: ['get /organizations', 'get /contracts statuses[]=pending limit=5 --json'],
  post: ['post /teams name=Research'],
  patch: ['patch /teams/019bb16e-fe80-7b02-b1c4-90aa3e5d7f62 name="Research and tools"'],
  put: [
    `put /people/019bb16e-fe80-7b02-b1c4-90aa3e5d7f62/bank-account 'bank_account:={"iban": "DE02120300000000202051"}'`,
  ],
  delete: ['delete /teams/019bb16e-fe80-7b02-b1c4-90aa3e5d7f62'],
}
const words_max = 100

/** The request that no command is there for, such as one of a newer service. */
export function requestCommand(method: Method): Command {
  const isQuery = method === 'get' || method === 'delete'
  return {
    usage: '<path> [field=value …]',
    about: `Fields travel in the ${isQuery ? 'query' : 'body as texts; `field:=value` takes JSON: `amount:=5`, `tags:=["a"]`'}.
Each operation has a command of its own that knows its fields: \`stint --help\`.`,
    options: {
      ...(method !== 'get' && { 'dry-run': 'Try it: nothing of it stays.' }),
      ...(!isQuery && { 'idempotency-key <key>': 'Key under which a repeat does nothing again (default: a new one).' }),
      ...profileOption,
    },
    examples: examples[method],
    calls_service: true,
    words_max,
    async run(flags, [path = '', ...fields]) {
      if (!path.startsWith('/')) throw new UsageError('name a path of the reference, such as /contracts')
      const pairs = fields.map(pairOf)
      const query =
        isQuery && pairs.length > 0
          ? `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`
          : ''
      const isKeyed = method === 'post' || method === 'patch'
      const answer = await send(connect(flags), {
        method: method.toUpperCase(),
        path: `${path}${query}`,
        headers: {
          ...(isKeyed && { 'Idempotency-Key': textFlag(flags, 'idempotency-key') ?? randomUUID() }),
          ...(flags['dry-run'] && { 'Stint-Dry-Run': 'true' }),
        },
        ...(!isQuery && { body: Object.fromEntries(pairs) }),
        is_repeatable: method !== 'delete',
      })
      const { body } = answer
      if (Buffer.isBuffer(body)) process.stdout.write(body)
      else if (body === null || body === undefined) print(flags, { done: true }, ['done'])
      // The cast holds because every JSON answer is an object.
      else print(flags, body, shown(body as Json))
      return exitStatus.ok
    },
  }
}

function pairOf(word: string): [string, unknown] {
  const [, name = '', colon, value = ''] = /^([^=:]+)(:?)=(.*)$/s.exec(word) ?? []
  if (name === '') throw new UsageError(`"${word}" is no field=value`)
  if (!colon) return [name, value]
  try {
    return [name, JSON.parse(value)]
  } catch {
    throw new UsageError(`${name}:= takes JSON; for a text write ${name}=${value}`)
  }
}

function shown(body: Json): string[] {
  const { data } = body
  return Array.isArray(data) && data.length > 0 ? tableOf(data) : linesOf(body)
}
