import type { Clock } from '#edge/clock.ts'
import type { RegistrationRow, Registrations } from '../store/operations/read-registrations.ts'

/** After so long the database is asked for the time again, and for registrations with it. */
const KEPT_MS = 10_000

interface Learned extends Registrations {
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

  /** `since`: monotonic time before they were asked for. */
  learn(pluginIds: readonly string[], found: Registrations, since: number): void {
    for (const pluginId of pluginIds) {
      // one that is not registered is asked for each time
      if (found.byPlugin.has(pluginId)) this.learned.set(pluginId, { ...found, since })
      else this.learned.delete(pluginId)
    }
  }

  /** Null where one of them is not known, or not any more. `now` may be ahead by as long as the question took. */
  recall(pluginIds: readonly string[]): Registrations | null {
    const monotonic = this.clock.monotonic()
    const byPlugin = new Map<string, RegistrationRow>()
    let latest: Learned | undefined
    for (const pluginId of pluginIds) {
      const learned = this.learned.get(pluginId)
      const registration = learned?.byPlugin.get(pluginId)
      if (learned === undefined || registration === undefined) return null
      if (monotonic - learned.since > KEPT_MS) return null
      byPlugin.set(pluginId, registration)
      if (latest === undefined || learned.since > latest.since) latest = learned
    }
    if (latest === undefined) return null
    const now = new Date(Date.parse(latest.now) + Math.floor(monotonic - latest.since)).toISOString()
    return { now, byPlugin }
  }
}
