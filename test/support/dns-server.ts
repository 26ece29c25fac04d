import dgram from 'node:dgram'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'

/** The answers of the server about a name. A sequence is used up, one entry for each query of a type; its last entry stays. */
export type DnsScript =
  | { kind: 'addresses'; a?: string[]; aaaa?: string[]; cname?: string; ttl_s?: number; silent_for?: 'A' | 'AAAA' }
  | { kind: 'nxdomain' }
  | { kind: 'servfail' }
  | { kind: 'silent' }
  | { kind: 'sequence'; answers: DnsScript[] }

export interface DnsServer {
  /** For `createResolver({ name_servers: [dns.address] })`. */
  readonly address: string
  /** The names and types asked for, in order, such as `A example.test`. */
  readonly queries: readonly string[]
  set(name: string, script: DnsScript): void
  close(): Promise<void>
}

const TYPES: Readonly<Record<number, string>> = { 1: 'A', 5: 'CNAME', 28: 'AAAA' }
const NOERROR = 0
const SERVFAIL = 2
const NXDOMAIN = 3

/** A name server on a free UDP port of 127.0.0.1 (RFC 1035). Names without a script do not exist. */
export async function startDnsServer(names: Record<string, DnsScript> = {}): Promise<DnsServer> {
  const scripts = new Map(Object.entries(names))
  const queries: string[] = []
  const socket = dgram.createSocket('udp4')
  socket.on('message', (query, { address, port }) => {
    const { name, type, end } = readQuestion(query)
    queries.push(`${type} ${name}`)
    const asked = queries.filter((entry) => entry === `${type} ${name}`).length
    const answer = respond(query.subarray(0, end), name, type, pick(scripts.get(name) ?? { kind: 'nxdomain' }, asked))
    if (answer) socket.send(answer, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    set: (name, script) => void scripts.set(name, script),
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

/** Addresses for a name; those with a colon are AAAA records. */
export function addresses(list: string[], ttl_s = 60): DnsScript {
  const aaaa = list.filter((address) => address.includes(':'))
  return { kind: 'addresses', a: list.filter((address) => !address.includes(':')), aaaa, ttl_s }
}

function pick(script: DnsScript, asked: number): DnsScript {
  if (script.kind !== 'sequence') return script
  return script.answers[Math.min(asked, script.answers.length) - 1] ?? { kind: 'nxdomain' }
}

function readQuestion(query: Buffer): { name: string; type: string; end: number } {
  const labels: string[] = []
  let offset = 12
  for (let length = query.readUInt8(offset); length > 0; length = query.readUInt8(offset)) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length))
    offset += length + 1
  }
  // c-ares may vary the case of a name as a guard against forged answers.
  const name = labels.join('.').toLowerCase()
  return { name, type: TYPES[query.readUInt16BE(offset + 1)] ?? 'other', end: offset + 5 }
}

function respond(question: Buffer, name: string, type: string, script: DnsScript): Buffer | null {
  if (script.kind === 'silent' || script.kind === 'sequence') return null
  if (script.kind === 'nxdomain') return message(question, NXDOMAIN, [])
  if (script.kind === 'servfail') return message(question, SERVFAIL, [])
  if (script.silent_for === type) return null
  const { cname, ttl_s = 60 } = script
  const owner = cname ?? name
  const data = type === 'A' ? (script.a ?? []) : type === 'AAAA' ? (script.aaaa ?? []) : []
  const code = type === 'A' ? 1 : 28
  const alias = cname ? [record(name, 5, ttl_s, encodeName(cname))] : []
  const found = data.map((address) => record(owner, code, ttl_s, Buffer.from(ipaddr.parse(address).toByteArray())))
  return message(question, NOERROR, [...alias, ...found])
}

function message(question: Buffer, code: number, records: Buffer[]): Buffer {
  const header = Buffer.from(question)
  // A response, recursion desired and available.
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt32BE(0, 8)
  return Buffer.concat([header, ...records])
}

function record(name: string, type: number, ttl_s: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(ttl_s, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(name), fixed, data])
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label, 'latin1')]))
  return Buffer.concat([...labels, Buffer.from([0])])
}
