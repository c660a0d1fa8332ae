import type { Clock } from '#http-kit/clock.ts'
import type { Schedule, Timer } from './schedule.ts'

/**
 * A process of the runtime: a worker, or one that serves a request. Everything that reaches it from outside passes
 * through here, so it can be stopped dead at any point: a killed one never hears of anything again, so that nothing in it
 * can clean up, and a paused one hears of it all when it wakes.
 */
export class Actor {
  readonly name: string
  state: 'alive' | 'paused' | 'dead' = 'alive'
  /** How often it was paused so far, and for how long in all. */
  pauses = 0
  pausedMs = 0
  private pausedAt = 0
  private readonly waiting: (() => void)[] = []
  private readonly atEnd = new Set<() => void>()

  constructor(name: string) {
    this.name = name
  }

  /** Lets something in. */
  pass(run: () => void): void {
    if (this.state === 'paused') this.waiting.push(run)
    else if (this.state === 'alive') run()
  }

  /** A promise of the outside as the process sees it. */
  hears<Result>(outside: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      outside.then(
        (result) => this.pass(() => resolve(result)),
        // the very error of the outside goes on
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        (error: unknown) => this.pass(() => reject(error)),
      )
    })
  }

  /** Run when it is paused or killed: the outside notices. Answers how to take it back. */
  whenGone(run: () => void): () => void {
    this.atEnd.add(run)
    return () => this.atEnd.delete(run)
  }

  pause(now: number): void {
    if (this.state !== 'alive') return
    this.state = 'paused'
    this.pauses += 1
    this.pausedAt = now
    this.tell()
  }

  wake(now: number): void {
    if (this.state !== 'paused') return
    this.state = 'alive'
    this.pausedMs += now - this.pausedAt
    for (const run of this.waiting.splice(0)) this.pass(run)
  }

  kill(): void {
    if (this.state === 'dead') return
    this.state = 'dead'
    this.waiting.length = 0
    this.tell()
  }

  private tell(): void {
    for (const run of this.atEnd) run()
  }
}

/** How wrong a process's clock is. Its monotonic clock may go a little fast or slow, and begins anywhere. */
export interface Skew {
  offsetMs: number
  /** 1 is right. */
  rate: number
  /** Wall time stands still. */
  isFrozen: boolean
  /** The monotonic clock stands still while the process is paused, as on a machine that is put to sleep. */
  isSuspended: boolean
  /** Wall time jumps by so much every `everyMs`. */
  jumpMs: number
  everyMs: number
}

export const RIGHT: Skew = {
  offsetMs: 0,
  rate: 1,
  isFrozen: false,
  isSuspended: false,
  jumpMs: 0,
  everyMs: 1,
}

/** The clock of one process, on virtual time. `timers` counts those that are set. */
export function actorClock(
  schedule: Schedule,
  actor: Actor,
  skew: Skew,
): Clock & { readonly timers: number } {
  const start = schedule.now
  const timers = new Set<Timer>()
  actor.whenGone(() => {
    if (actor.state !== 'dead') return
    for (const timer of timers) timer.cancel()
    timers.clear()
  })
  const wall = (): number => {
    const passed = schedule.now - start
    return (
      start + skew.offsetMs + (skew.isFrozen ? 0 : passed + skew.jumpMs * Math.floor(passed / skew.everyMs))
    )
  }
  return {
    now: () => new Date(wall()),
    monotonic: () => 1_000 + (schedule.now - start - (skew.isSuspended ? actor.pausedMs : 0)) * skew.rate,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const stop = (): void => {
          timer.cancel()
          timers.delete(timer)
          reject(signal?.reason)
        }
        const timer = schedule.after(ms / skew.rate + 0.01, () => {
          timers.delete(timer)
          actor.pass(() => {
            signal?.removeEventListener('abort', stop)
            resolve()
          })
        })
        timers.add(timer)
        signal?.addEventListener('abort', stop, { once: true })
      }),
    get timers() {
      return timers.size
    },
  }
}
