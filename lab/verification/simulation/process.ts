import type { Clock } from '#http-kit/clock.ts'
import type { Schedule, Timer } from './schedule.ts'

/**
 * A process of the runtime: a worker, or one that serves a request. Everything that reaches it from outside passes
 * through here, so it can be stopped at any point: a killed process receives nothing more, so nothing in it can clean up;
 * a paused one receives everything when it resumes.
 */
export class SimulatedProcess {
  readonly name: string
  state: 'running' | 'paused' | 'killed' = 'running'
  /** How often it was paused so far, and for how long in total. */
  pauses = 0
  pausedMs = 0
  private pausedAt = 0
  private readonly waiting: (() => void)[] = []
  private readonly onStop = new Set<() => void>()

  constructor(name: string) {
    this.name = name
  }

  /** Delivers something from outside: now, or when the process resumes. */
  deliver(run: () => void): void {
    if (this.state === 'paused') this.waiting.push(run)
    else if (this.state === 'running') run()
  }

  /** An outside promise as the process sees it. */
  receive<Result>(outside: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      outside.then(
        (result) => this.deliver(() => resolve(result)),
        // the error is passed on unchanged
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        (error: unknown) => this.deliver(() => reject(error)),
      )
    })
  }

  /** Calls `run` when the process is paused or killed. Returns how to remove it again. */
  whenStopped(run: () => void): () => void {
    this.onStop.add(run)
    return () => this.onStop.delete(run)
  }

  pause(now: number): void {
    if (this.state !== 'running') return
    this.state = 'paused'
    this.pauses += 1
    this.pausedAt = now
    for (const run of this.onStop) run()
  }

  resume(now: number): void {
    if (this.state !== 'paused') return
    this.state = 'running'
    this.pausedMs += now - this.pausedAt
    for (const run of this.waiting.splice(0)) this.deliver(run)
  }

  kill(): void {
    if (this.state === 'killed') return
    this.state = 'killed'
    this.waiting.length = 0
    for (const run of this.onStop) run()
  }
}

/** The clock error of a process. Its monotonic clock may run a little fast or slow, and starts at any value. */
export interface Skew {
  offsetMs: number
  /** 1 is right. */
  rate: number
  /** Wall time does not advance. */
  isFrozen: boolean
  /** The monotonic clock stops while the process is paused, as on a suspended machine. */
  isSuspended: boolean
  /** Wall time jumps by this much every `everyMs`. */
  jumpMs: number
  everyMs: number
}

export const NO_SKEW: Skew = {
  offsetMs: 0,
  rate: 1,
  isFrozen: false,
  isSuspended: false,
  jumpMs: 0,
  everyMs: 1,
}

/** The clock of one process, on virtual time. `timers` counts the pending ones. */
export function processClock(
  schedule: Schedule,
  process: SimulatedProcess,
  skew: Skew,
): Clock & { readonly timers: number } {
  const start = schedule.now
  const timers = new Set<Timer>()
  process.whenStopped(() => {
    if (process.state !== 'killed') return
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
    monotonic: () => 1_000 + (schedule.now - start - (skew.isSuspended ? process.pausedMs : 0)) * skew.rate,
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
          process.deliver(() => {
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
