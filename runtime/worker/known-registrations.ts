import type { Clock } from '#http-kit/clock.ts'
import { readRegistrations } from '../store/plugins/plugins.ts'
import type { RegistrationRow, Registrations } from '../model/plugin.ts'
import type { Db } from '../model/db.ts'

/** A cached registration, and with it the database's time, expires after this time. */
const MAX_AGE_MS = 10_000

interface CachedRegistration {
  registration: RegistrationRow
  /** The database's time when it was read. */
  now: string
  /** Monotonic time, taken before the read was sent. */
  since: number
}

/**
 * Caches the registrations of the plugins that a worker calls, to save a read before each step. The current
 * registration decides where and how a plugin is called, so the statement that starts an attempt verifies the cached
 * one and starts nothing if it is outdated.
 */
export class KnownRegistrations {
  private readonly clock: Pick<Clock, 'monotonic'>
  private readonly cache = new Map<string, CachedRegistration>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.clock = clock
  }

  /** Reads the current registrations. */
  async read(db: Db, pluginIds: readonly string[]): Promise<Registrations> {
    const since = this.clock.monotonic()
    const found = await readRegistrations(db, pluginIds)
    for (const pluginId of pluginIds) {
      const registration = found.byPlugin.get(pluginId)
      // what keeps a call from being made is not cached, because nothing verifies it when it is written
      if (registration === undefined || registration.retired || registration.paused)
        this.cache.delete(pluginId)
      else this.cache.set(pluginId, { registration, now: found.now, since })
    }
    return found
  }

  /** Null if one of them is not cached, or has expired. `now` may be ahead by the duration of the read. */
  recall(pluginIds: readonly string[]): Registrations | null {
    const monotonic = this.clock.monotonic()
    const byPlugin = new Map<string, RegistrationRow>()
    let latest: CachedRegistration | undefined
    for (const pluginId of pluginIds) {
      const cached = this.cache.get(pluginId)
      if (cached === undefined || monotonic - cached.since > MAX_AGE_MS) return null
      byPlugin.set(pluginId, cached.registration)
      if (latest === undefined || cached.since > latest.since) latest = cached
    }
    if (latest === undefined) return null
    const now = new Date(Date.parse(latest.now) + Math.floor(monotonic - latest.since)).toISOString()
    return { now, byPlugin }
  }
}
