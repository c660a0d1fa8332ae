import { createServer as createHttpServer } from 'node:http'
import { createConnection, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import type { BadPlaces } from './fault.ts'

export interface OpenedPlaces {
  places: BadPlaces
  /** Requests that came to the witness. */
  witnessed(): number
  close(): Promise<void>
}

/** Every address at which no plugin answers. */
export async function openBadPlaces(): Promise<OpenedPlaces> {
  let witnessed = 0
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  const open = async (server: Server): Promise<number> => {
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => sockets.delete(socket))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    servers.push(server)
    return (server.address() as AddressInfo).port
  }
  const plain = await open(createHttpServer((_, response) => response.end()))
  const rude = await open(createServer((socket) => socket.once('data', () => socket.end())))
  const resets = await open(createServer((socket) => socket.resetAndDestroy()))
  const witness = await open(
    createHttpServer((_, response) => {
      witnessed++
      response.end()
    }),
  )
  const closed = createServer()
  const closedPort = await open(closed)
  await new Promise((resolve) => closed.close(resolve))
  const hole = await openBlackHole()
  return {
    places: {
      // longer than a label may be: every resolver says at once that it does not exist
      unknownHost: `http://${UNKNOWN_HOST}/`,
      closedPort: `http://127.0.0.1:${closedPort}/`,
      blackHole: `http://127.0.0.1:${hole.port}/`,
      plainAtHttps: `https://127.0.0.1:${plain}/`,
      breaksHandshake: `https://127.0.0.1:${rude}/`,
      resetsAtOnce: `http://127.0.0.1:${resets}/`,
      witness: `http://127.0.0.1:${witness}/`,
    },
    witnessed: () => witnessed,
    async close() {
      await hole.close()
      for (const socket of sockets) socket.destroy()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

export const UNKNOWN_HOST = `${'x'.repeat(64)}.invalid`

/** A port whose owner never accepts and whose queue is full, so that the system drops whoever knocks. */
async function openBlackHole(): Promise<{ port: number; close(): Promise<void> }> {
  const owner = new Worker(
    `const { createServer } = require('node:net')
    const { parentPort } = require('node:worker_threads')
    const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port)
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
    })`,
    { eval: true },
  )
  const port = await new Promise<number>((resolve, reject) => {
    owner.once('message', resolve)
    owner.once('error', reject)
  })
  const crowd = Array.from({ length: 4 }, () =>
    createConnection({ port, host: '127.0.0.1' }).on('error', () => undefined),
  )
  return {
    port,
    async close() {
      for (const socket of crowd) socket.destroy()
      await owner.terminate()
    },
  }
}
