import type { Clock } from '#http-kit/clock.ts'

/** A sleep that can be cut short, also by a ring that comes while nobody sleeps. */
export class WakeableTimer {
  private readonly clock: Clock
  /** Monotonic times; as many as there are operations that wait, which may be hundreds of thousands. */
  private rings: number[] = []
  private sleeper: AbortController | null = null

  constructor(clock: Clock) {
    this.clock = clock
  }

  wake(): void {
    this.wakeIn(0)
  }

  wakeIn(ms: number): void {
    this.rings.push(this.clock.monotonic() + ms)
    this.sleeper?.abort()
  }

  /** Until the first ring, at most `ms`. */
  async sleep(ms: number): Promise<void> {
    const end = this.clock.monotonic() + ms
    for (;;) {
      const now = this.clock.monotonic()
      const next = this.rings.reduce((first, at) => Math.min(first, at), end)
      if (next <= now) break
      this.sleeper = new AbortController()
      await this.clock.sleep(next - now, this.sleeper.signal).catch(() => {})
    }
    this.sleeper = null
    const now = this.clock.monotonic()
    this.rings = this.rings.filter((at) => at > now)
  }
}
