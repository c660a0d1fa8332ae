import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** One connection through a link. */
export interface Passage {
  /** `onSent` is called when the bytes have left. */
  toTarget(bytes: Buffer, onSent?: () => void): void
  toClient(bytes: Buffer): void
  /** Ends it for both sides. */
  cut(): void
}

/** What happens instead of passing on what one side sends. */
export interface Hooks {
  fromClient?(bytes: Buffer): void
  fromTarget?(bytes: Buffer): void
}

export interface LinkOptions {
  /** Connects to what is behind the link; null if nothing accepts a connection, which then is reset. */
  open(): Socket | Promise<Socket | null>
  /** Default: any free one. */
  port?: number
  /** Called for each connection, so that its hooks can remember what has passed. */
  hooks?(passage: Passage): Hooks
}

/** A TCP connection on loopback that can lose, hold and cut what passes: the fault proxy of journeys and suites. */
export interface Link {
  port: number
  /** Those that are open now, the oldest first. */
  passages(): readonly Passage[]
  /** From now on nothing passes, without an error at either end, as in a network that drops every packet. */
  pause(): void
  /** What was sent meanwhile arrives. */
  resume(): void
  /** Resets all connections. */
  reset(): void
  /** Whether new connections are accepted; default: they are. */
  accept(isAccepting: boolean): void
  close(): Promise<void>
}

export async function openLink({ open, port = 0, hooks = () => ({}) }: LinkOptions): Promise<Link> {
  const sockets = new Set<Socket>()
  const passages = new Set<Passage>()
  let isPaused = false
  let isAccepting = true

  const track = (socket: Socket): void => {
    sockets.add(socket)
    socket.setNoDelay(true)
    // a lost connection is the concern of its two ends
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }

  const forward = async (client: Socket): Promise<void> => {
    const target = await open()
    if (target === null) return void client.resetAndDestroy()
    track(target)
    const passage: Passage = {
      toTarget: (bytes, onSent) => send(bytes, client, target, onSent),
      toClient: (bytes) => send(bytes, target, client),
      cut() {
        client.destroy()
        target.destroy()
      },
    }
    passages.add(passage)
    const { fromClient = passage.toTarget, fromTarget = passage.toClient } = hooks(passage)
    const end = (other: Socket): void => {
      passages.delete(passage)
      // what was sent before the end still arrives
      other.destroySoon()
    }
    client.on('data', (bytes) => fromClient(bytes))
    target.on('data', (bytes) => fromTarget(bytes))
    client.on('close', () => end(target))
    target.on('close', () => end(client))
    if (client.destroyed) end(target)
    if (isPaused) target.pause()
    else client.resume()
  }

  /** A side that reads slowly slows down the other, as without the link. */
  const send = (bytes: Buffer, from: Socket, to: Socket, onSent?: () => void): void => {
    if (to.write(bytes, onSent) || to.destroyed) return
    from.pause()
    to.once('drain', () => {
      if (!isPaused) from.resume()
    })
  }

  const server = createServer({ pauseOnConnect: true }, (client) => {
    if (!isAccepting) return void client.destroy()
    track(client)
    return void forward(client)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    passages: () => [...passages],
    pause() {
      isPaused = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      isPaused = false
      for (const socket of sockets) socket.resume()
    },
    reset() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    accept(isNowAccepting) {
      isAccepting = isNowAccepting
    },
    async close() {
      for (const socket of sockets) socket.resetAndDestroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Connects to the first of these ports on loopback that accepts it. */
export async function firstOf(ports: readonly number[]): Promise<Socket | null> {
  for (const port of ports) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    if (isOpen) return socket
  }
  return null
}
