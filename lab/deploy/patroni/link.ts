import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { once } from 'node:events'

/** A network connection on loopback that can be cut. */
export interface Link {
  port: number
  /** From now on nothing passes, without an error at either end, as in a network that drops every packet. */
  cut(): void
  /** Resets the connections of the time before, as the network does then; new ones pass. */
  heal(): void
  close(): Promise<void>
}

/** Forwards connections to the first of these ports that accepts one. */
export async function openLink(targets: readonly number[], port: number): Promise<Link> {
  const sockets = new Set<Socket>()
  let isCut = false
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    // a lost connection is the concern of its two ends
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    if (isCut) socket.pause()
    return socket
  }
  const server = createServer((near) => {
    track(near)
    if (!isCut) void forward(near)
  })
  const forward = async (near: Socket): Promise<void> => {
    for (const target of targets) {
      const far = track(connect(target, '127.0.0.1'))
      const isOpen = await once(far, 'connect').then(
        () => true,
        () => false,
      )
      if (!isOpen) continue
      near.pipe(far)
      far.pipe(near)
      near.on('close', () => far.destroy())
      far.on('close', () => near.destroy())
      if (isCut) for (const socket of [near, far]) stall(socket)
      return
    }
    near.resetAndDestroy()
  }
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port,
    cut() {
      isCut = true
      for (const socket of sockets) stall(socket)
    },
    heal() {
      isCut = false
      reset()
    },
    async close() {
      reset()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Reads nothing more, so that the sender waits indefinitely. */
function stall(socket: Socket): void {
  socket.unpipe()
  socket.pause()
}
