import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Ends the process group of a detached program, such as npm with its shell and the program in it, and waits for its end. */
export async function stopGroup(program: ChildProcess): Promise<void> {
  if (program.pid === undefined || program.exitCode !== null) return
  const ended = once(program, 'exit')
  process.kill(-program.pid, 'SIGINT')
  await ended
}
