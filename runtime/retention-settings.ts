import * as z from 'zod'
import { SettingsError, wholeIfSet } from '#http-kit/settings.ts'
import type { RetentionSettings } from './retention/run-retention.ts'

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
