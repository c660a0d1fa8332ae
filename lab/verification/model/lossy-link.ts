import { connect } from 'node:net'
import type { ConnectionSettings } from '#database/settings.ts'
import { openLink } from '../../../e2e/harness/link.ts'

/** When the connection is cut: `before` the COMMIT arrives, `after` its response was sent, or `during` the commit. */
export type CommitFault = 'none' | 'before' | 'during' | 'after'

export interface LossyLink {
  /** The database, reached through the link. */
  connection: ConnectionSettings
  /** Cuts one of the open connections. */
  cutOne(choose: (count: number) => number): void
  close(): Promise<void>
}

/** A connection to PostgreSQL that is cut, mostly while a transaction is committed. */
export async function openLossyLink(
  target: ConnectionSettings,
  faultOf: () => CommitFault,
): Promise<LossyLink> {
  const link = await openLink({
    open: () =>
      target.host.startsWith('/')
        ? connect(`${target.host}/.s.PGSQL.${target.port}`)
        : connect(target.port, target.host),
    hooks(passage) {
      let isAnswerLost = false
      return {
        fromClient(bytes) {
          const fault = isCommit(bytes) ? faultOf() : 'none'
          if (fault === 'before') return passage.cut()
          if (fault === 'after') isAnswerLost = true
          return passage.toTarget(bytes, fault === 'during' ? () => passage.cut() : undefined)
        },
        fromTarget(bytes) {
          if (isAnswerLost) passage.cut()
          else passage.toClient(bytes)
        },
      }
    },
  })
  return {
    connection: { ...target, host: '127.0.0.1', port: link.port },
    cutOne(choose) {
      const open = link.passages()
      if (open.length > 0) open[choose(open.length)]?.cut()
    },
    close: () => link.close(),
  }
}

/** Whether the bytes are a simple query COMMIT, which the driver sends as a separate message. */
function isCommit(bytes: Buffer): boolean {
  return bytes[0] === 0x51 && bytes.toString('latin1', 5, 11).toLowerCase() === 'commit'
}
