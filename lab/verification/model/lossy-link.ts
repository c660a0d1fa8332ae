import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { ConnectionSettings } from '#database/settings.ts'

/** When the connection is cut: `before` the COMMIT arrives, `after` its response was sent, or `during` the commit. */
export type CommitFault = 'none' | 'before' | 'during' | 'after'

export interface LossyLink {
  /** The database, reached through the link. */
  connection: ConnectionSettings
  /** Cuts one of the open connections. */
  cutOne(choose: (count: number) => number): void
  close(): Promise<void>
}

/** A TCP proxy for PostgreSQL that cuts connections, mostly while a transaction is committed. */
export async function openLossyLink(
  target: ConnectionSettings,
  faultOf: () => CommitFault,
): Promise<LossyLink> {
  const clients = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = target.host.startsWith('/')
      ? connect(`${target.host}/.s.PGSQL.${target.port}`)
      : connect(target.port, target.host)
    const cut = (): void => {
      client.destroy()
      server.destroy()
      clients.delete(client)
    }
    let isAnswerLost = false
    clients.add(client)
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on('error', cut)
      socket.on('close', cut)
    }
    client.on('data', (bytes) => {
      const fault = isCommit(bytes) ? faultOf() : 'none'
      if (fault === 'before') return cut()
      if (fault === 'after') isAnswerLost = true
      server.write(bytes, () => {
        if (fault === 'during') cut()
      })
    })
    server.on('data', (bytes) => {
      if (isAnswerLost) cut()
      else client.write(bytes)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  return {
    connection: { ...target, host: '127.0.0.1', port },
    cutOne(choose) {
      const open = [...clients]
      if (open.length > 0) open[choose(open.length)]?.destroy()
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of clients) socket.destroy()
        proxy.close(() => resolve())
      }),
  }
}

/** Whether the bytes are a simple query COMMIT, which the driver sends as a separate message. */
function isCommit(bytes: Buffer): boolean {
  return bytes[0] === 0x51 && bytes.toString('latin1', 5, 11).toLowerCase() === 'commit'
}
