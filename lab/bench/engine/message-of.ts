import type { ChildProcess } from 'node:child_process'

/** The next message of a process; rejects if it ends without one. */
export function messageOf<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Message))
    child.once('exit', (code) => reject(new Error(`A process of the benchmark exited with ${code}`)))
  })
}
