import { listen } from '#database/listen.ts'
import type { Listening } from '#database/listen.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { isUnavailable } from '#database/unreachable.ts'
import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import { CHANNELS, notifyReplicas } from '../store/events/notify-replicas.ts'
import type { Db } from '../model/db.ts'

export interface ReplicasOptions {
  /** Keeps its session: not through a pooler that lends connections for a transaction. */
  connection: ConnectionSettings
  db: Db
  clock: Clock
  log: Log
  /** Names this replica among all, so that it does not wake itself. */
  sender: string
  /** Another replica has committed events. */
  onEvents(): void
  /** Another replica has committed operations that are due. */
  onWork(): void
}

/** What the replicas on one database tell each other; only that there is something to look at, never what. */
export interface Replicas {
  isListening(): boolean
  /** To be called after a commit; many calls in quick succession are told as one. */
  tell(what: 'events' | 'work'): void
  stop(): Promise<void>
}

const QUIET_MS = 20

/** Begins to listen. Whoever could not listen for a while is woken as soon as it can, as it may have missed something. */
export function joinReplicas(options: ReplicasOptions): Replicas {
  const { db, clock, log, sender } = options
  const stopped = new AbortController()
  let pending: 'nothing' | 'events' | 'work' = 'nothing'
  let telling: Promise<void> | null = null

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
      log.warn('not listening for other replicas, so looking more often', { reason })
      options.onEvents()
    },
  })

  const tellAll = async (): Promise<void> => {
    while (pending !== 'nothing' && !stopped.signal.aborted) {
      const work = pending === 'work'
      pending = 'nothing'
      await notifyReplicas(db, sender, work).catch((error: unknown) => {
        // they look by themselves, only later
        if (!isUnavailable(error)) log.warn('other replicas could not be told', {}, error)
      })
      await clock.sleep(QUIET_MS, stopped.signal).catch(() => undefined)
    }
    telling = null
  }

  return {
    isListening: () => listening.isUp(),
    tell(what) {
      if (stopped.signal.aborted) return
      if (pending !== 'work') pending = what
      telling ??= tellAll()
    },
    async stop() {
      stopped.abort()
      await Promise.all([telling, listening.stop()])
    },
  }
}
