import type { RuntimeDeps } from './runtime-deps.ts'

/** A task that runs periodically until it is stopped. */
export interface PeriodicTask {
  /** Waits for the current run to end. */
  stop(): Promise<void>
}

/**
 * Runs a task periodically. A failed run is logged and does not prevent the next one.
 *
 * @param options.failureMessage the log message of a failed run.
 * @param options.first `immediately`, or `later`: after the first interval.
 */
export function runEvery(
  { clock, log }: Pick<RuntimeDeps, 'clock' | 'log'>,
  options: { everyMs: number; failureMessage: string; first: 'immediately' | 'later' },
  round: (stopped: AbortSignal) => Promise<void>,
): PeriodicTask {
  const stopped = new AbortController()
  const { signal } = stopped
  const rest = (): Promise<void> => clock.sleep(options.everyMs, signal).catch(() => undefined)
  const go = async (): Promise<void> => {
    if (options.first === 'later') await rest()
    while (!signal.aborted) {
      await round(signal).catch((error: unknown) => log.warn(options.failureMessage, {}, error))
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

/** Combines tasks, to stop them together. */
export function combineTasks(all: readonly PeriodicTask[]): PeriodicTask {
  return {
    async stop() {
      await Promise.all(all.map((task) => task.stop()))
    },
  }
}
