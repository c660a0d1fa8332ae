import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { listOf, pageQuery, Person, searchText, Timestamp } from '#contract/runtime-api/common.ts'

const SessionId = z.string().regex(/^[0-9a-f]{64}$/, 'Is not the ID of a session')

/** A session that has not ended. */
export const SessionEntry = z.object({
  /** Identifies it in lists; nobody can use it to sign in. */
  sessionId: SessionId,
  person: Person,
  /** The identity provider that knows the person by their ID. */
  issuer: z.string(),
  roles: z.array(z.string()),
  createdAt: Timestamp,
  /** To within 15 seconds. */
  lastSeenAt: Timestamp,
  /** Where it was started; null if unknown. */
  clientAddress: z.string().nullable(),
  /** As the browser names itself; null if it does not. */
  userAgent: z.string().nullable(),
  /** Whether it is that of the request. */
  isCurrent: z.boolean(),
})
export type SessionEntry = z.infer<typeof SessionEntry>

/** The endpoints of sessions. The BFF stores them; the runtime does not know them. */
export const sessionsApi = defineEndpoints({
  'GET /sessions': {
    summary: 'The sessions of the caller, the newest first',
    access: { needs: 'session' },
    query: z.strictObject({}),
    answer: listOf(SessionEntry),
    codes: [],
  },
  'GET /sessions/everyone': {
    summary: 'The sessions of all people, the newest first; `q` is a part of a name or ID',
    access: { needs: 'account:write', where: 'everywhere' },
    query: z.strictObject({ ...pageQuery, q: searchText }),
    answer: listOf(SessionEntry),
    codes: [],
  },
  'DELETE /sessions/{sessionId}': {
    summary:
      'End a session on every replica: one’s own, or with the permission account:write that of anybody',
    audit: 'session.end',
    access: { needs: 'session' },
    params: z.strictObject({ sessionId: SessionId }),
    answer: z.object({ sessionId: SessionId }),
    codes: ['NOT_FOUND'],
  },
  'POST /sessions/end': {
    summary: 'End all sessions of a person',
    audit: 'session.end',
    access: { needs: 'account:write', where: 'everywhere' },
    body: z.strictObject({ issuer: z.string().min(1).max(2_000), personId: z.string().min(1).max(255) }),
    answer: z.object({ ended: z.number() }),
    codes: [],
  },
})
