import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

/** Starts a TypeScript file as a child process and returns its first line of output. It is killed after the test. */
export async function startProcess(
  t: TestContext,
  file: URL,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  t.after(() => child.kill('SIGKILL'))
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('The process ended before it printed a line'))),
  ])
  return String(line)
}
