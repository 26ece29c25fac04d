import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import { type RequestOptions, request as startRequest } from 'node:https'
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createSecureListener, type SecureListener, type SecureListenerOptions } from '#surfaces/https/listener.ts'
import { openTlsMaterial } from '#surfaces/https/tls-material.ts'

export interface TestListener {
  listener: SecureListener
  port: number
  /** The authority that a client must trust. */
  ca: string
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** A pair that this process has made once, and the authority behind it. */
export const test_tls = await makeTls()

export const problem = (request_id: string) => ({ code: 'https_required', request_id })

export async function makeTls(): Promise<{ cert: string; key: string; ca: string }> {
  const data_dir = await mkdtemp(join(tmpdir(), 'stint-listener-'))
  const { cert, key, ca_file } = await openTlsMaterial({ data_dir, hosts: [], now: Date.now })
  const ca = await readFile(ca_file ?? '', 'utf8')
  await rm(data_dir, { recursive: true })
  return { cert, key, ca }
}

/** Listens on a free port of 127.0.0.1 until the test ends. */
export async function startListener(
  t: TestContext,
  options: Partial<SecureListenerOptions> & { handler: RequestListener },
): Promise<TestListener> {
  const listener = createSecureListener({ tls: test_tls, problem, ...options })
  listener.server.listen(0, '127.0.0.1')
  await once(listener.server, 'listening')
  t.after(() => listener.close(0))
  const { port } = listener.server.address() as AddressInfo // a TCP server that listens has one
  return { listener, port, ca: test_tls.ca }
}

/** Answers every request with what it was: version, method, path, body, client address. */
export const echo =
  (clientAddress: (request: IncomingMessage) => string = () => ''): RequestListener =>
  (request, response) => {
    const { httpVersion: version, method, url } = request
    if (request.headers.expect) response.writeContinue()
    const answer = (chunks: Buffer[]) => {
      const body = Buffer.concat(chunks).toString()
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify({ version, method, url, body, client: clientAddress(request) }))
    }
    request.toArray().then(answer, () => response.destroy()) // the client left in the middle
  }

/** One HTTP/1.1 request over TLS on a connection of its own unless `agent` says otherwise. */
export async function getHttps(
  { port, ca }: TestListener,
  options: RequestOptions & { body?: string } = {},
): Promise<Answer> {
  const request = startRequest({ host: '127.0.0.1', port, ca, agent: false, ...options })
  request.end(options.body)
  const [response] = (await once(request, 'response')) as [IncomingMessage] // the event's declared argument
  const body = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode ?? 0, headers: response.headers, body }
}

export async function openHttp2(t: TestContext, { port, ca }: TestListener): Promise<ClientHttp2Session> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca })
  session.on('error', () => session.destroy()) // an abusive session is cut; the tests look at 'close'
  t.after(() => session.destroy())
  await once(session, 'remoteSettings')
  return session
}

export async function getHttp2(
  session: ClientHttp2Session,
  path: string,
  body?: string,
  fields: OutgoingHttpHeaders = {},
): Promise<Answer> {
  const stream = session.request({ ...fields, ':path': path, ':method': body === undefined ? 'GET' : 'POST' })
  stream.end(body)
  const unanswered = once(stream, 'close').then(() => Promise.reject(new Error(`reset with code ${stream.rstCode}`)))
  const response = once(stream, 'response') as Promise<[IncomingHttpHeaders]> // the event's declared argument
  const [headers] = await Promise.race([response, unanswered])
  const answer = Buffer.concat(await stream.toArray()).toString()
  return { status: Number(headers[':status']), headers, body: answer }
}

/** A TCP connection without TLS that collects what it receives. */
export async function openPlain(t: TestContext, { port }: TestListener): Promise<Socket> {
  const socket = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Everything the other side sends until it closes. */
export async function readToEnd(socket: Socket): Promise<string> {
  return Buffer.concat(await socket.toArray()).toString()
}
