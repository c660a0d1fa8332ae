import { pino } from 'pino'
import type { DestinationStream } from 'pino'
import { hideProtectedName } from '#contract/protocol/protected-name.ts'
import { Scrubber } from './text/scrub.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Fields are flat on purpose: nobody can log a header map, a body or a row by accident. */
export type LogFields = Record<string, string | number | boolean | null | undefined>

export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields, error?: unknown): void
  error(message: string, fields?: LogFields, error?: unknown): void
  /** A log whose every line carries these fields. */
  child(fields: LogFields): Log
  /** From now on masks this value (8 characters or more) and its common encodings in every line of every child. */
  addSecret(value: string): void
  /** Ends the masking of a value that is worth nothing any more, such as an expired token. */
  removeSecret(value: string): void
}

export interface LogOptions {
  name: string
  level: LogLevel
  /** Standard output where absent. */
  stream?: DestinationStream
}

/** A structured log, one JSON object a line. Errors are written by allow-list: name, code, message, stack, cause. */
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
    // the type forbids objects, but a value that came through a cast must not slip into the log either
    if (typeof value === 'string') cleaned[key] = clean(scrubber, value)
    else if (typeof value !== 'object' || value === null) cleaned[key] = value
  }
  return cleaned
}

/** The same log for whoever hands over the fields first, as the database does. */
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
    ...(error.cause !== undefined &&
      depth < MAX_CAUSES && { cause: cleanError(error.cause, scrubber, depth + 1) }),
  }
}
