import { createInterface } from 'node:readline/promises'

/** All of standard input, without the end of its last line. */
export async function readStandardInput(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin) text += chunk
  return text.replace(/\r?\n$/, '')
}

/** Asks on the terminal without showing what is typed. */
export async function askHidden(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, terminal: true })
  process.stderr.write(question)
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
