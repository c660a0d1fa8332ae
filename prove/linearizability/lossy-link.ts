import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { ConnectionSettings } from '#database/settings.ts'

/** What becomes of a commit on its way: `before` it never arrives, `after` its answer is lost, `race` nobody knows. */
export type Fate = 'passes' | 'before' | 'after' | 'race'

export interface LossyLink {
  /** The database as it is reached through the link. */
  connection: ConnectionSettings
  /** Cuts one of the connections that are open, whatever it is doing. */
  cutOne(choose: (count: number) => number): void
  close(): Promise<void>
}

/** A line to PostgreSQL that breaks, above all when a transaction is committed. */
export async function lossyLink(to: ConnectionSettings, fateOf: () => Fate): Promise<LossyLink> {
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = to.host.startsWith('/')
      ? connect(`${to.host}/.s.PGSQL.${to.port}`)
      : connect(to.port, to.host)
    const cut = (): void => {
      near.destroy()
      far.destroy()
      open.delete(near)
    }
    let isAnswerLost = false
    open.add(near)
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      socket.on('error', cut)
      socket.on('close', cut)
    }
    near.on('data', (bytes) => {
      const fate = isCommit(bytes) ? fateOf() : 'passes'
      if (fate === 'before') return cut()
      if (fate === 'after') isAnswerLost = true
      far.write(bytes, () => {
        if (fate === 'race') cut()
      })
    })
    far.on('data', (bytes) => {
      if (isAnswerLost) cut()
      else near.write(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    connection: { ...to, host: '127.0.0.1', port },
    cutOne(choose) {
      const sockets = [...open]
      if (sockets.length > 0) sockets[choose(sockets.length)]?.destroy()
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** A simple query of this word, as the driver sends it alone. */
function isCommit(bytes: Buffer): boolean {
  return bytes[0] === 0x51 && bytes.toString('latin1', 5, 11).toLowerCase() === 'commit'
}
