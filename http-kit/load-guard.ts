/** Says whether this process has so much to do that it should refuse what is expensive. */
export interface LoadGuard {
  isBehind(): boolean
}

const TICK_MS = 50
/** How late timers may be, on average over about two seconds. */
const LIMIT_MS = 100
const WEIGHT = 0.03

/**
 * Measures how late the timers of this process are because of its own work. Time that the machine gave to others does not count:
 * to refuse requests would not bring it back.
 *
 * @param limitMs the delay, averaged over about two seconds, from which on the process is behind.
 */
export function createLoadGuard({ limitMs = LIMIT_MS }: { limitMs?: number } = {}): LoadGuard {
  let average = 0
  let last = performance.now()
  let used = process.cpuUsage()
  const measure = (): void => {
    const now = performance.now()
    const { user, system } = process.cpuUsage(used)
    const late = Math.max(0, Math.min(now - last - TICK_MS, (user + system) / 1000))
    // a tick that is late stands for those that did not come
    const ticks = Math.max(1, (now - last) / TICK_MS)
    const kept = (1 - WEIGHT) ** ticks
    average = average * kept + late * (1 - kept)
    last = now
    used = process.cpuUsage()
  }
  // it measures as long as the process has something else to do
  setInterval(measure, TICK_MS).unref()
  return { isBehind: () => average >= limitMs }
}

/** For what never has too much to do. */
export const NO_LOAD: LoadGuard = { isBehind: () => false }
