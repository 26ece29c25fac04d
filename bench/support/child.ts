import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A process of a benchmark that answers each message with one. */
export interface Child extends AsyncDisposable {
  pid: number
  /** The first message that it sends by itself. */
  first<Message>(): Promise<Message>
  tell(message: object): void
  ask<Answer>(): Promise<Answer>
}

/** Starts a program beside this file. */
export function startChild(program: string, words: readonly string[] = []): Child {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const child: ChildProcess = fork(path, words, { serialization: 'advanced' })
  const ended = once(child, 'exit')
  const next = async <Message>() => {
    const [message] = await Promise.race([
      once(child, 'message'),
      ended.then(() => Promise.reject(new Error(`${program} ended`))),
    ])
    // The cast holds because both sides name the type of the message.
    return message as Message
  }
  return {
    pid: child.pid ?? 0,
    first: next,
    tell: (message) => void child.send(message),
    async ask<Answer>() {
      child.send('ask')
      return next<Answer>()
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
