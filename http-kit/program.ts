import { SettingsError } from './settings.ts'

/** One of our programs; runs until it is asked to end. */
export interface Program {
  /**
   * Registers a stop handler. The last one registered is stopped first, so users of a resource end before the resource.
   * A part that does not stop within `withinMs` (15 s) is abandoned, and the program exits with 1.
   */
  onStop(stop: () => Promise<void>, withinMs?: number): void
  /** Ends the program in order. Prints `why` to standard error. */
  end(code: 0 | 1, why?: unknown): void
  /** Aborted as soon as the program begins to end: failures after that are expected. */
  ending: AbortSignal
}

/** The exit code of a program that Ctrl+C ended. */
const INTERRUPTED = 130

/**
 * The threads of this process for what the system does slowly. Half of them look up names: with Node's four, two names that nobody answers
 * would keep every other connection waiting, to the database too. They start with the first such work, so they can be set here.
 */
const THREADS = '16'

/**
 * Runs `start` and continues until Ctrl+C, SIGTERM, `end`, or an uncaught error; then stops everything in order,
 * including what was started before a failed start. A second Ctrl+C exits immediately. Errors are printed in one line,
 * and in full if `LOG_LEVEL` is `debug`.
 */
export async function runProgram(start: (program: Program) => Promise<void>): Promise<void> {
  const stops: { stop: () => Promise<void>; withinMs: number }[] = []
  const ending = new AbortController()
  let started: Promise<void> = Promise.resolve()
  process.env['UV_THREADPOOL_SIZE'] ??= THREADS

  const finish = async (code: 0 | 1): Promise<void> => {
    // a part that is still starting must be registered before it can be stopped
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

  // an exit, unlike the signal's own default, ends the processes that this one has started
  process.on('SIGINT', () => (ending.signal.aborted ? process.exit(INTERRUPTED) : end(0)))
  // not `once`: a signal to the whole process group arrives twice, because the parent forwards it too
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
    return 'The disk of DATA_DIR or of the database is full; free some space and restart.'
  // Node wraps the failures for several addresses of a host in an error without a message
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : undefined
  return error.message || (inner instanceof Error ? inner.message : error.name)
}

/** Whether an error or one of its causes means that a disk is full: on this machine or on the database server. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isNamed = 'code' in error && DISK_FULL_CODES.has(String(error.code))
  return isNamed || DISK_FULL_WORDS.test(error.message) || isDiskFull(error.cause)
}

/** Codes of the operating system and of PostgreSQL. */
const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT', '53100'])
/** Messages of programs that report no code: PostgreSQL's tools and SQLite. */
const DISK_FULL_WORDS = /No space left on device|database or disk is full/
