import net from 'node:net'
import type { TestContext } from 'node:test'
import { type Receiver, type ReceiverOptions, startReceiver } from '#test/receiver.ts'
import { type EgressSettings, egressPolicy } from './policy.ts'
import { createSender, type Sender, type SenderOptions, type SendRequest } from './sender.ts'

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
