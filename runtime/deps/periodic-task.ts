import type { RuntimeDeps } from './runtime-deps.ts'

/** Something that is done from time to time until it is stopped. */
export interface PeriodicTask {
  /** Lets the round under way end. */
  stop(): Promise<void>
}

/**
 * Goes its tasks. One that fails is told of in the log and is no reason not to go the next.
 *
 * @param options.trouble is what is told.
 * @param options.first is `at once`, or `later`, after the time between two.
 */
export function runEvery(
  { clock, log }: Pick<RuntimeDeps, 'clock' | 'log'>,
  options: { everyMs: number; trouble: string; first: 'at once' | 'later' },
  round: (stopped: AbortSignal) => Promise<void>,
): PeriodicTask {
  const stopped = new AbortController()
  const { signal } = stopped
  const rest = (): Promise<void> => clock.sleep(options.everyMs, signal).catch(() => undefined)
  const go = async (): Promise<void> => {
    if (options.first === 'later') await rest()
    while (!signal.aborted) {
      await round(signal).catch((error: unknown) => log.warn(options.trouble, {}, error))
      await rest()
    }
  }
  const going = go()
  return {
    async stop() {
      stopped.abort()
      await going
    },
  }
}

/** Several that are stopped as one. */
export function combineTasks(all: readonly PeriodicTask[]): PeriodicTask {
  return {
    async stop() {
      await Promise.all(all.map((tasks) => tasks.stop()))
    },
  }
}
