import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { UsageError } from '../profile.ts'

/**
 * Asks a question and does not show what is typed. Null if there is no terminal.
 *
 * @throws UsageError if the person ends the input instead, with Ctrl+C or Ctrl+D.
 */
export async function askInTerminal(
  question: string,
  input: NodeJS.ReadableStream & { isTTY?: boolean } = process.stdin,
): Promise<string | null> {
  if (input.isTTY !== true) return null
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: silent, terminal: true })
  try {
    return await new Promise((resolve, reject) => {
      lines.once('close', () => reject(new UsageError('No value was given, so nothing was sent.')))
      lines.question('', resolve)
    })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
