import assert from 'node:assert/strict'
import net from 'node:net'
import type { TestContext } from 'node:test'
import { type EgressSettings, egressPolicy } from '#outbound/address-rules.ts'
import type { AttemptResult } from '#outbound/attempt.ts'
import { createSender, type Sender, type SenderOptions, type SendRequest } from '#outbound/sender.ts'
import { type Behaviour, type Receiver, type ReceiverOptions, startReceiver } from '#test/receiver.ts'

/** Everything a test of the sender needs, ended with the test. */
export interface SenderBench {
  receiver: Receiver
  sender: Sender
  /** Sends `{}` to the receiver, or what is told otherwise. */
  send(request?: Partial<SendRequest>): ReturnType<Sender['send']>
}

export interface SenderBenchOptions {
  receiver?: ReceiverOptions
  settings?: EgressSettings
  sender?: SenderOptions
}

/** A receiver, and a sender that trusts it and may contact 127.0.0.0/8. */
export async function openSenderBench(t: TestContext, options: SenderBenchOptions = {}): Promise<SenderBench> {
  const receiver = await startReceiver(options.receiver)
  const settings = { allowed_networks: ['127.0.0.0/8'], extra_ca: receiver.ca, ...options.settings }
  const sender = createSender(egressPolicy(settings), options.sender)
  t.after(async () => {
    sender.close()
    await receiver.close()
  })
  return {
    receiver,
    sender,
    send: (request = {}) =>
      sender.send({
        url: receiver.url,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from('{}'),
        ...request,
      }),
  }
}

/** The addresses to which this process began to connect, from now to the end of the test, as `address:port`. */
export function watchConnects(t: TestContext): string[] {
  const connects: string[] = []
  const connect = net.Socket.prototype.connect
  t.mock.method(net.Socket.prototype, 'connect', function (this: net.Socket, ...args: Parameters<typeof connect>) {
    // node:net passes itself its normalized arguments as one array; the options are the first of them.
    const [options] = [args[0]].flat() as unknown as [{ host?: string; port?: number }]
    connects.push(`${options.host}:${options.port}`)
    return connect.apply(this, args)
  })
  return connects
}

/** A deadline for attempts that are to run into it. */
export const LIMIT_MS = 300
// The design allows half a second around 30 s; two cores shared with everything else need more around 300 ms, and an
// attempt that ended by itself would take five seconds.
const LIMIT_SLACK_MS = 2_500
// For attempts that are to end by themselves, however busy the machine is.
const PATIENT_MS = 5_000

/** The result of one attempt against a receiver that behaves like this. */
export async function answerTo(
  t: TestContext,
  behaviour: Behaviour,
  receiver: ReceiverOptions = {},
  deadline_ms: number = PATIENT_MS,
): Promise<SenderBench & { result: AttemptResult }> {
  const bench = await openSenderBench(t, { receiver: { ...receiver, behaviour } })
  return { ...bench, result: await bench.send({ deadline_ms }) }
}

/** Compares the fields that `expected` names. */
export function assertResult(result: AttemptResult, expected: Partial<AttemptResult>) {
  // The keys of a Partial<AttemptResult> are keys of AttemptResult.
  const names = Object.keys(expected) as (keyof AttemptResult)[]
  assert.deepEqual(Object.fromEntries(names.map((name) => [name, result[name]])), expected, `${result.error_detail}`)
}

export function assertAtLimit({ total_ms }: AttemptResult) {
  assert.ok(total_ms >= LIMIT_MS - 1 && total_ms <= LIMIT_MS + LIMIT_SLACK_MS, `${total_ms} ms`)
}
