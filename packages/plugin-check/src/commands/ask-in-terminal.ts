import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Asks a question and does not show what is typed. Null if there is no terminal. */
export async function askInTerminal(question: string): Promise<string | null> {
  if (!process.stdin.isTTY) return null
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await lines.question('')
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
