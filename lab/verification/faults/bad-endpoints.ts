import { createServer as createHttpServer } from 'node:http'
import { createConnection, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import type { BadEndpoints } from './fault.ts'

/** Longer than a label may be, so every resolver reports immediately that it does not exist. */
export const UNKNOWN_HOST = `${'x'.repeat(64)}.invalid`

/** No connection can be opened to a group of hosts. */
export const GROUP = '224.0.0.1'

/** Opens every address at which no plugin responds; `witnessed` counts the requests at the witness. */
export async function openBadEndpoints(): Promise<{
  endpoints: BadEndpoints
  witnessed(): number
  close(): Promise<void>
}> {
  let witnessed = 0
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  const listen = async (server: Server): Promise<number> => {
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => sockets.delete(socket))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    servers.push(server)
    return (server.address() as AddressInfo).port
  }
  const plain = await listen(createHttpServer((_, response) => response.end()))
  const closing = await listen(createServer((socket) => socket.once('data', () => socket.end())))
  const resetting = await listen(createServer((socket) => socket.resetAndDestroy()))
  const witness = await listen(
    createHttpServer((_, response) => {
      witnessed++
      response.end()
    }),
  )
  const closed = createServer()
  const closedPort = await listen(closed)
  await new Promise((resolve) => closed.close(resolve))
  const hole = await openBlackHole()
  return {
    endpoints: {
      unknownHost: `http://${UNKNOWN_HOST}/`,
      closedPort: `http://127.0.0.1:${closedPort}/`,
      noRoute: `http://${GROUP}/`,
      blackHole: `http://127.0.0.1:${hole.port}/`,
      plainAtHttps: `https://127.0.0.1:${plain}/`,
      breaksHandshake: `https://127.0.0.1:${closing}/`,
      resetsAtOnce: `http://127.0.0.1:${resetting}/`,
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

/** A port whose owner never accepts and whose backlog is full, so the kernel drops further connections. */
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
  const backlog = Array.from({ length: 4 }, () =>
    createConnection({ port, host: '127.0.0.1' }).on('error', () => undefined),
  )
  return {
    port,
    async close() {
      for (const socket of backlog) socket.destroy()
      await owner.terminate()
    },
  }
}
