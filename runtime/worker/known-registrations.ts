import type { Clock } from '#http-kit/clock.ts'
import { readRegistrations } from '../store/operations/read-registrations.ts'
import type { RegistrationRow, Registrations } from '../model/registration.ts'
import type { Db } from '../model/db.ts'

/** After so long the database is asked for the time again, and for registrations with it. */
const KEPT_MS = 10_000

interface Learned {
  registration: RegistrationRow
  /** The database's time when it was told. */
  now: string
  /** Monotonic, before the statement that told it was sent. */
  since: number
}

/**
 * What a worker remembers of the plugins that it calls, so that it need not ask before each step. Where and how a plugin is
 * called counts as it is at that moment: so the statement that begins an attempt compares, and begins none by what is not
 * so any more.
 */
export class KnownRegistrations {
  private readonly clock: Pick<Clock, 'monotonic'>
  private readonly learned = new Map<string, Learned>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.clock = clock
  }

  /** As they are right now. */
  async read(db: Db, pluginIds: readonly string[]): Promise<Registrations> {
    const since = this.clock.monotonic()
    const found = await readRegistrations(db, pluginIds)
    for (const pluginId of pluginIds) {
      const registration = found.byPlugin.get(pluginId)
      // one that is not registered is asked for each time
      if (registration === undefined) this.learned.delete(pluginId)
      else this.learned.set(pluginId, { registration, now: found.now, since })
    }
    return found
  }

  /** Null where one of them is not known, or not any more. `now` may be ahead by as long as the question took. */
  recall(pluginIds: readonly string[]): Registrations | null {
    const monotonic = this.clock.monotonic()
    const byPlugin = new Map<string, RegistrationRow>()
    let latest: Learned | undefined
    for (const pluginId of pluginIds) {
      const learned = this.learned.get(pluginId)
      if (learned === undefined || monotonic - learned.since > KEPT_MS) return null
      byPlugin.set(pluginId, learned.registration)
      if (latest === undefined || learned.since > latest.since) latest = learned
    }
    if (latest === undefined) return null
    const now = new Date(Date.parse(latest.now) + Math.floor(monotonic - latest.since)).toISOString()
    return { now, byPlugin }
  }
}
