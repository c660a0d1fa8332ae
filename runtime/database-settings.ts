import * as z from 'zod'
import { whole } from '#http-kit/settings.ts'

/** The database variables of a runtime replica. */
export const DATABASE_VARIABLES = {
  DATABASE_URL: z.string().optional(),
  DATABASE_DIRECT_URL: z.string().optional(),
  DATABASE_READ_URL: z.string().optional(),
  DATABASE_LISTEN: z.enum(['on', 'off']).default('on'),
  DATABASE_MIGRATE: z.enum(['on', 'off']).default('on'),
  DATABASE_POOL_SIZE: whole(16, { min: 2, max: 500 }),
  DATABASE_WORKER_POOL_SIZE: whole(8, { min: 2, max: 500 }),
  DATABASE_CONNECT_TIMEOUT_MS: whole(10_000, { min: 100, max: 600_000 }),
  DATABASE_STATEMENT_TIMEOUT_MS: whole(15_000, { min: 100, max: 600_000 }),
  DATABASE_LOCK_TIMEOUT_MS: whole(5_000, { min: 100, max: 600_000 }),
  DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS: whole(10_000, { min: 100, max: 600_000 }),
  DATABASE_WAIT_SECONDS: whole(60, { min: 0, max: 86_400 }),
}

/** The database settings as the program names them. */
export function databaseSettings(settings: z.output<z.ZodObject<typeof DATABASE_VARIABLES>>) {
  return {
    url: settings.DATABASE_URL ?? null,
    /** A connection that keeps its session, for migrating and listening. */
    directUrl: settings.DATABASE_DIRECT_URL ?? null,
    /** A standby for reads. */
    readUrl: settings.DATABASE_READ_URL ?? null,
    listens: settings.DATABASE_LISTEN === 'on',
    /** Whether a start may migrate the schema. */
    migrates: settings.DATABASE_MIGRATE === 'on',
    waitMs: settings.DATABASE_WAIT_SECONDS * 1_000,
    connections: { http: settings.DATABASE_POOL_SIZE, worker: settings.DATABASE_WORKER_POOL_SIZE },
    limits: {
      connectTimeoutMs: settings.DATABASE_CONNECT_TIMEOUT_MS,
      statementTimeoutMs: settings.DATABASE_STATEMENT_TIMEOUT_MS,
      lockTimeoutMs: settings.DATABASE_LOCK_TIMEOUT_MS,
      idleInTransactionTimeoutMs: settings.DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS,
    },
  }
}
