import type { Clock } from '#http-kit/clock.ts'

/** A sleep that can be ended early. A wake-up while nothing sleeps ends the next sleep. */
export class WakeableTimer {
  private readonly clock: Clock
  /** Monotonic times, one for each waiting operation: there may be hundreds of thousands. */
  private wakeTimes: number[] = []
  private sleeper: AbortController | null = null

  constructor(clock: Clock) {
    this.clock = clock
  }

  wake(): void {
    this.wakeIn(0)
  }

  wakeIn(ms: number): void {
    this.wakeTimes.push(this.clock.monotonic() + ms)
    this.sleeper?.abort()
  }

  /** Sleeps until the first wake time, for at most `ms`. */
  async sleep(ms: number): Promise<void> {
    const end = this.clock.monotonic() + ms
    for (;;) {
      const now = this.clock.monotonic()
      const next = this.wakeTimes.reduce((first, at) => Math.min(first, at), end)
      if (next <= now) break
      this.sleeper = new AbortController()
      await this.clock.sleep(next - now, this.sleeper.signal).catch(() => {})
    }
    this.sleeper = null
    const now = this.clock.monotonic()
    this.wakeTimes = this.wakeTimes.filter((at) => at > now)
  }
}
