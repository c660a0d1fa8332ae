import { isDiskFull } from './disk-full.ts'
import { SettingsError } from './settings.ts'

/** A program of ours that runs until it is told to end. */
export interface Program {
  /**
   * Whoever registers later is stopped earlier: what uses something ends before it. What does not stop within `withinMs`
   * (15 s) is left behind, and the program ends with 1.
   */
  onStop(stop: () => Promise<void>, withinMs?: number): void
  /** Ends the program in order. `why` is told on standard error. */
  end(code: 0 | 1, why?: unknown): void
  /** Aborted as soon as the program is to end: what fails from then on is no news. */
  ending: AbortSignal
}

/**
 * Runs `start` and then goes on until Ctrl+C, SIGTERM, `end`, or an error that nobody caught; then stops in order, also
 * what was started before a start failed. A second Ctrl+C ends it at once. Errors are told in one line, and whole where
 * `LOG_LEVEL` is `debug`.
 */
export async function runProgram(start: (program: Program) => Promise<void>): Promise<void> {
  const stops: { stop: () => Promise<void>; withinMs: number }[] = []
  const ending = new AbortController()
  let started: Promise<void> = Promise.resolve()

  const finish = async (code: 0 | 1): Promise<void> => {
    // whatever is just being started must be known before it can be stopped
    await started.catch(() => undefined)
    let exitCode = code
    for (const { stop, withinMs } of stops.toReversed()) {
      await within(withinMs, stop()).catch((error: unknown) => {
        exitCode = 1
        console.error(lineOf(error))
      })
    }
    process.exit(exitCode)
  }
  const end = (code: 0 | 1, why?: unknown): void => {
    if (ending.signal.aborted) return
    ending.abort()
    if (why !== undefined) console.error(lineOf(why))
    void finish(code)
  }

  process.once('SIGINT', () => end(0))
  // not once: whoever stops a whole group of processes reaches this twice, as what started it hands the signal on too
  process.on('SIGTERM', () => end(0))
  process.on('uncaughtException', (error) => end(1, error))
  process.on('unhandledRejection', (reason) => end(1, reason))
  started = start({
    onStop: (stop, withinMs = 15_000) => void stops.push({ stop, withinMs }),
    end,
    ending: ending.signal,
  })
  await started.catch((error: unknown) => end(1, error))
}

async function within(ms: number, stopping: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`A part did not stop within ${ms / 1000} s.`)), ms)
  })
  await Promise.race([stopping, late]).finally(() => clearTimeout(timer))
}

function lineOf(error: unknown): unknown {
  if (process.env['LOG_LEVEL'] === 'debug' && !(error instanceof SettingsError)) return error
  if (!(error instanceof Error)) return error
  if (isDiskFull(error))
    return 'The disk of DATA_DIR or of the database is full; free some space and start again.'
  // Node joins the refusals of a host's several addresses in an error without a message
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : undefined
  return error.message || (inner instanceof Error ? inner.message : error.name)
}
