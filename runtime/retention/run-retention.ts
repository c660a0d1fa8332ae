import * as z from 'zod'
import { SettingsError, wholeIfSet } from '#http-kit/settings.ts'
import { runEvery } from '../deps/periodic-task.ts'
import type { PeriodicTask } from '../deps/periodic-task.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { countFailure } from '../store/retention/retention-row.ts'
import { removeStep } from './remove-step.ts'
import type { Archive, RetentionPeriods } from './remove-step.ts'

/** How long finished work is kept, and whether its receipts outlast it. */
export interface RetentionSettings extends RetentionPeriods {
  /** The directory for the receipts of what is removed; null: they are not stored. */
  archive: string | null
}

interface RetentionOptions extends RetentionPeriods {
  /** Default: nothing is archived. */
  archive?: Archive
  /** How often to look whether a run is due, in milliseconds; default 60,000. */
  pollMs?: number
  /** Nothing is removed while it resolves to true. */
  isPaused?: () => Promise<boolean>
}

/** A step of 10 ms is followed by a pause of 100 ms, so that people and workers do not notice retention. */
const PAUSE_FACTOR = 10

/** Removes what is older than its period. Any number of replicas may do so on one database: one at a time works. */
export function startRetention(
  deps: Pick<RuntimeDeps, 'db' | 'clock' | 'log'>,
  { pollMs = 60_000, isPaused = () => Promise.resolve(false), archive, ...periods }: RetentionOptions,
): PeriodicTask {
  const { db, clock, log } = deps
  const run = async (stopped: AbortSignal): Promise<void> => {
    while (!stopped.aborted && !(await isPaused())) {
      const began = clock.monotonic()
      const result = await removeStep(db, periods, archive)
      if (result.kind === 'completed') log.info('retention completed a run', { ...result.removed })
      if (result.kind !== 'removed') return
      await clock.sleep((clock.monotonic() - began) * PAUSE_FACTOR, stopped).catch(() => undefined)
    }
  }
  return runEvery(
    deps,
    { everyMs: pollMs, failureMessage: 'retention could not remove what is old', first: 'later' },
    async (stopped) => {
      try {
        await run(stopped)
      } catch (error) {
        await countFailure(db).catch(() => undefined)
        throw error
      }
    },
  )
}

const DAYS = { min: 0, max: 36_500 }
const DEFAULT_OPERATIONS_DAYS = 400
const DEFAULT_ATTEMPTS_DAYS = 90

/** The variables that say how long finished work is kept. */
export const RETENTION_VARIABLES = {
  RETENTION_OPERATIONS_DAYS: wholeIfSet(DAYS),
  RETENTION_ATTEMPTS_DAYS: wholeIfSet(DAYS),
  RETENTION_ARCHIVE_DIR: z.string().optional(),
}

/**
 * How long finished work is kept, in days.
 *
 * @throws SettingsError if attempts would be kept longer than their operation.
 */
export function retentionSettings(
  settings: z.output<z.ZodObject<typeof RETENTION_VARIABLES>>,
): RetentionSettings {
  const operationsDays = settings.RETENTION_OPERATIONS_DAYS ?? DEFAULT_OPERATIONS_DAYS
  const longest = operationsDays === 0 ? Infinity : operationsDays
  const attemptsDays = settings.RETENTION_ATTEMPTS_DAYS ?? Math.min(DEFAULT_ATTEMPTS_DAYS, longest)
  if (attemptsDays > longest)
    throw new SettingsError(
      `RETENTION_ATTEMPTS_DAYS is wrong: attempts go with their operation, which is kept for ${operationsDays} days (RETENTION_OPERATIONS_DAYS)`,
    )
  return { operationsDays, attemptsDays, archive: settings.RETENTION_ARCHIVE_DIR ?? null }
}
