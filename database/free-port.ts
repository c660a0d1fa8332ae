import { createServer } from 'node:net'

const FIRST = 20_000
const LAST = 32_000

/**
 * A free port on loopback that stays free while its process is down: below the range from which systems take the ports
 * of outgoing connections, chosen at random so that processes that start at the same time do not choose the same one.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
