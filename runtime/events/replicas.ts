import { listen } from '#database/listen.ts'
import type { Listening } from '#database/listen.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { isUnavailable } from '#database/unreachable.ts'
import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import { CHANNELS, notifyReplicas } from '../store/events.ts'
import type { Db } from '../model/db.ts'

export interface ReplicasOptions {
  /** Its session must be kept: it cannot go through a pooler that lends connections per transaction. */
  connection: ConnectionSettings
  db: Db
  clock: Clock
  log: Log
  /** Identifies this replica, so that it does not wake itself. */
  sender: string
  /** Another replica has committed events. */
  onEvents(): void
  /** Another replica has committed due operations. */
  onWork(): void
}

/** Notifications between the replicas on one database. They say only that there is something to read, never what. */
export interface Replicas {
  isListening(): boolean
  /** Call after a commit; calls in quick succession are combined into one notification. */
  notify(what: 'events' | 'work'): void
  stop(): Promise<void>
}

const QUIET_MS = 20

/**
 * Starts to listen. A replica that could not listen for a while is woken once it can, because it may have missed
 * notifications.
 */
export function joinReplicas(options: ReplicasOptions): Replicas {
  const { db, clock, log, sender } = options
  const stopped = new AbortController()
  let pending: 'nothing' | 'events' | 'work' = 'nothing'
  let notifying: Promise<void> | null = null

  const listening: Listening = listen(options.connection, {
    channels: Object.values(CHANNELS),
    applicationName: 'bundle-runtime-listener',
    onNotify(channel, payload) {
      if (payload === sender) return
      if (channel === CHANNELS.work) options.onWork()
      else options.onEvents()
    },
    onUp() {
      log.debug('listening for other replicas')
      options.onEvents()
      options.onWork()
    },
    onDown(reason) {
      log.warn('not listening for other replicas; polling more often', { reason })
      options.onEvents()
    },
  })

  const notifyAll = async (): Promise<void> => {
    while (pending !== 'nothing' && !stopped.signal.aborted) {
      const work = pending === 'work'
      pending = 'nothing'
      await notifyReplicas(db, sender, work).catch((error: unknown) => {
        // the other replicas poll as well, only later
        if (!isUnavailable(error)) log.warn('other replicas could not be notified', {}, error)
      })
      await clock.sleep(QUIET_MS, stopped.signal).catch(() => undefined)
    }
    notifying = null
  }

  return {
    isListening: () => listening.isUp(),
    notify(what) {
      if (stopped.signal.aborted) return
      if (pending !== 'work') pending = what
      notifying ??= notifyAll()
    },
    async stop() {
      stopped.abort()
      await Promise.all([notifying, listening.stop()])
    },
  }
}
