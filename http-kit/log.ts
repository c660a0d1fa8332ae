import { pino } from 'pino'
import type { DestinationStream } from 'pino'
import { hideProtectedName } from '#contract/protocol/protected-property.ts'
import type { Clock } from './clock.ts'
import { Scrubber } from './text/scrub.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Fields are flat on purpose: headers, bodies and rows cannot be logged by accident. */
export type LogFields = Record<string, string | number | boolean | null | undefined>

export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields, error?: unknown): void
  error(message: string, fields?: LogFields, error?: unknown): void
  /** A log that adds these fields to every line. */
  child(fields: LogFields): Log
  /** Masks this value (8 characters or more) and its common encodings in every later line of every child log. */
  addSecret(value: string): void
  /** Stops masking a value that is no longer sensitive, such as an expired token. */
  removeSecret(value: string): void
}

interface LogOptions {
  name: string
  level: LogLevel
  /** Default: standard output. */
  stream?: DestinationStream
}

/**
 * A structured log, one JSON object per line. Only allow-listed parts of errors are written: name, code, message,
 * stack, cause.
 */
export function createLog({ name, level, stream }: LogOptions): Log {
  const options = { name, level, base: { name }, timestamp: pino.stdTimeFunctions.isoTime }
  return wrap(stream === undefined ? pino(options) : pino(options, stream), new Scrubber())
}

function wrap(target: pino.Logger, scrubber: Scrubber): Log {
  const write = (
    level: Exclude<LogLevel, 'silent'>,
    message: string,
    fields: LogFields = {},
    error?: unknown,
  ): void => {
    if (!target.isLevelEnabled(level)) return
    const line = cleanFields(fields, scrubber)
    if (error !== undefined) line['error'] = cleanError(error, scrubber, 0)
    target[level](line, '%s', clean(scrubber, message))
  }
  return {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields, error) => write('warn', message, fields, error),
    error: (message, fields, error) => write('error', message, fields, error),
    child: (fields) => wrap(target.child(cleanFields(fields, scrubber)), scrubber),
    addSecret: (value) => scrubber.add(value),
    removeSecret: (value) => scrubber.remove(value),
  }
}

/** Masks known secrets and replaces the name of the protected property. */
const clean = (scrubber: Scrubber, text: string): string => hideProtectedName(scrubber.scrub(text))

function cleanFields(fields: LogFields, scrubber: Scrubber): Record<string, unknown> {
  const cleaned: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(fields)) {
    // the type forbids objects, but a value that came through a cast must not be logged either
    if (typeof value === 'string') cleaned[key] = clean(scrubber, value)
    else if (typeof value !== 'object' || value === null) cleaned[key] = value
  }
  return cleaned
}

/** The same log for callers that pass the fields first, such as the database. */
export function fieldsFirst(log: Log) {
  return {
    info: (fields: object, message: string) => log.info(message, fields as LogFields),
    warn: (fields: object, message: string) => log.warn(message, fields as LogFields),
    error: (fields: object, message: string) => log.error(message, fields as LogFields),
  }
}

const MAX_CAUSES = 5

function cleanError(error: unknown, scrubber: Scrubber, depth: number): unknown {
  if (!(error instanceof Error)) return { message: clean(scrubber, String(error)) }
  const { code } = error as { code?: unknown }
  return {
    name: error.name,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    message: clean(scrubber, error.message),
    ...(error.stack !== undefined && { stack: clean(scrubber, error.stack) }),
    // an object that is not an error would say nothing, or something that must not be logged
    ...(error.cause !== undefined &&
      (error.cause instanceof Error || typeof error.cause !== 'object') &&
      depth < MAX_CAUSES && { cause: cleanError(error.cause, scrubber, depth + 1) }),
  }
}

const INTERVAL_MS = 10_000

/**
 * A log for code that fails repeatedly while a shared dependency is down. For errors with a known reason it writes at
 * most one line every ten seconds, with the reason instead of the error and its stack, and with the number of lines
 * suppressed since the previous one. Everything else is written unchanged.
 */
export function throttledLog(
  log: Log,
  clock: Pick<Clock, 'monotonic'>,
  /** The reason if the error belongs to an outage; null for any other error. */
  reasonOf: (error: unknown) => string | null,
): Log {
  let lastWrittenAt = -Infinity
  let suppressed = 0
  const throttled =
    (write: Log['warn']): Log['warn'] =>
    (message, fields: LogFields = {}, error?: unknown) => {
      const reason = reasonOf(error)
      if (reason === null) return write(message, fields, error)
      const now = clock.monotonic()
      if (now - lastWrittenAt < INTERVAL_MS) {
        suppressed++
        return
      }
      write(message, { ...fields, reason, ...(suppressed > 0 && { suppressed }) })
      lastWrittenAt = now
      suppressed = 0
    }
  return { ...log, warn: throttled(log.warn), error: throttled(log.error) }
}
