import { createServer } from 'node:net'

const FIRST = 20_000
const BLOCK = 30
const BLOCKS = 400

/** The process's own block of ports. Processes that run at the same time have process ids that are near each other. */
const first = FIRST + (process.pid % BLOCKS) * BLOCK
let chosen = 0

/**
 * A free port on loopback that stays free until somebody listens, also while a program on it is down: below the range
 * from which systems take the ports of outgoing connections, and in a block that no other process of a run uses.
 *
 * @throws if no port of the block is free.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < BLOCK; tried++) {
    const port = first + (chosen++ % BLOCK)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
  throw new Error(`None of the ports ${first} to ${first + BLOCK - 1} is free`)
}
