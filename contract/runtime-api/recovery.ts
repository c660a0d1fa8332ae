import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Timestamp } from './common.ts'
import { RECOVERY_CAUSES } from './vocabulary.ts'

/** What happened when the database went back in time or moved last; docs/operating/recover.md. */
export const Recovery = z.object({
  at: Timestamp,
  because: z.enum(RECOVERY_CAUSES),
  /** The backup that was restored, with the version and the commit of the program that made it; null without one. */
  backup: z.object({ at: Timestamp, version: z.string(), build: z.string().nullable() }).nullable(),
  /** How much the execution sequences and snapshot versions were raised. */
  raisedBy: z.number().int().nonnegative(),
  /** How many operations were in progress then. */
  operationsInDoubt: z.number().int().nonnegative(),
})
export type Recovery = z.infer<typeof Recovery>

export const recoveryEndpoints = defineEndpoints({
  'GET /recovery': {
    summary: 'When and why the database was recovered last',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({}),
    answer: z.object({ recovery: Recovery.nullable() }),
    codes: [],
  },
})
