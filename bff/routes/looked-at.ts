import { Hono } from 'hono'
import { lookedAtApi } from '#contract/console-api/looked-at.ts'
import type { Recorder } from '../audit/recorder.ts'
import type { SessionVariables } from '../session/sessions.ts'
import { readLookedAt, storeLookedAt } from '../store/looked-at.ts'
import type { BffDb } from '../store/tables.ts'
import { addOwnRow } from './own-rows.ts'

/** What a person has looked at, which the console stores itself. */
export function lookedAtRoutes(options: {
  db: BffDb
  recorder: Pick<Recorder, 'refused'>
  recentSignInSeconds: number
}): Hono<{ Variables: SessionVariables }> {
  const { db } = options
  const app = new Hono<{ Variables: SessionVariables }>()
  const [read, put] = ['GET /looked-at', 'PUT /looked-at'] as const
  addOwnRow(
    app,
    { name: read, row: lookedAtApi[read] },
    async ({ person }) => ({ causesAt: await readLookedAt(db, person) }),
    options,
  )
  addOwnRow(
    app,
    { name: put, row: lookedAtApi[put] },
    async ({ person }) => ({ causesAt: await storeLookedAt(db, person) }),
    options,
  )
  return app
}
