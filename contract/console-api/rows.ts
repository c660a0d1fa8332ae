import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Grant } from '#contract/endpoint/grant.ts'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import { Scope } from '#contract/protocol/scope.ts'
import { Person } from '#contract/runtime-api/common.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { lookedAtApi } from './looked-at.ts'
import { savedViewApi } from './saved-views.ts'
import { serviceAccountApi } from './service-accounts.ts'
import { sessionsApi } from './sessions.ts'

/** The colors that an environment may be marked with. */
export const ENVIRONMENT_COLORS = ['red', 'amber', 'green', 'blue', 'violet'] as const

/** How the console marks an environment, so that production looks like production. */
export const EnvironmentMark = z.strictObject({
  environmentKey: Scope.shape.environmentKey,
  word: z.string().trim().min(1).max(24),
  color: z.enum(ENVIRONMENT_COLORS),
})
export type EnvironmentMark = z.infer<typeof EnvironmentMark>

export const Session = z.object({
  user: Person,
  roles: z.array(z.string()),
  permissions: z.array(z.enum(PERMISSIONS)),
  grants: z.array(Grant),
  environmentMarks: z.array(EnvironmentMark),
})
export type Session = z.infer<typeof Session>

const sessionEndpoints = defineEndpoints({
  'GET /session': {
    summary: 'Who is signed in, and what they may do',
    access: { needs: 'session' },
    answer: Session,
    codes: [],
  },
})

/**
 * The console API below `/api`: the runtime's rows, plus sessions, saved views, service accounts and what a person has
 * looked at. Responses have no envelope,
 * failures are `application/problem+json`, and the property reserved for the runtime is left out, except in rows that
 * keep it.
 */
export const consoleApi = {
  ...runtimeApi,
  ...sessionEndpoints,
  ...savedViewApi,
  ...lookedAtApi,
  ...sessionsApi,
  ...serviceAccountApi,
}
type ConsoleRows = typeof consoleApi
/** An interface, because the compiler would write out all rows wherever it infers a type with an alias. */
export interface ConsoleApi extends ConsoleRows {}
