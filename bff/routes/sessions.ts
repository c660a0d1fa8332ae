import { Hono } from 'hono'
import { sessionsApi } from '#contract/console-api/sessions.ts'
import type { SessionEntry } from '#contract/console-api/sessions.ts'
import { mayEverywhere } from '#contract/endpoint/permission.ts'
import { Timestamp } from '#contract/protocol/keys.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { inTransaction } from '#database/transaction.ts'
import type { Clock } from '#http-kit/clock.ts'
import { knownPerson } from '../audit/recorder.ts'
import type { Recorder } from '../audit/recorder.ts'
import { ConsoleFailure } from '../failure.ts'
import { endSessionsOfPerson } from '../session/end-sessions.ts'
import type { Person, SessionVariables } from '../session/sessions.ts'
import { endSession, listSessions } from '../store/sessions.ts'
import type { ListedSession, SessionCursor, SessionLimits } from '../store/sessions.ts'
import type { BffDb } from '../store/tables.ts'
import { addOwnRow } from './own-rows.ts'
import type { OwnRequest } from './own-rows.ts'

type Rows = typeof sessionsApi

interface SessionOptions {
  db: BffDb
  limits: SessionLimits
  recentSignInSeconds: number
  clock: Pick<Clock, 'now'>
  recorder: Pick<Recorder, 'refused' | 'sessionEnded'>
}

/** More than the sessions of a person (`MAX_SESSIONS`). */
const OWN_MAX = 50
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f]{64})$/

/** The routes that list and end sessions. */
export function sessionRoutes(options: SessionOptions): Hono<{ Variables: SessionVariables }> {
  const { db, limits, clock, recorder } = options
  const app = new Hono<{ Variables: SessionVariables }>()
  const add = <Name extends keyof Rows>(
    name: Name,
    handle: (request: OwnRequest<Rows[Name]>) => Promise<object>,
  ) => addOwnRow<Rows[Name]>(app, { name, row: sessionsApi[name] }, handle, options)

  add('GET /sessions', async ({ person }) => {
    const of = { iss: person.issuer, sub: person.id }
    const rows = await listSessions(db, { of, limit: OWN_MAX, limits, now: clock.now() })
    return { items: rows.map((row) => entryOf(row, person)), nextCursor: null }
  })
  add('GET /sessions/everyone', async ({ person, query: { limit, cursor, q = '' } }) => {
    const after = cursor === undefined ? null : cursorOf(cursor)
    const rows = await listSessions(db, {
      of: { text: q },
      after,
      limit: limit + 1,
      limits,
      now: clock.now(),
    })
    const items = rows.slice(0, limit)
    const last = items.at(-1)
    const hasMore = rows.length > limit && last !== undefined
    return {
      items: items.map((row) => entryOf(row, person)),
      nextCursor: hasMore ? `${last.createdAt}_${last.sessionId}` : null,
    }
  })
  add('DELETE /sessions/{sessionId}', async ({ person, params: { sessionId }, origin }) => {
    const mayAll = mayEverywhere(person.grants, 'account:write')
    await inTransaction(db, async (tx) => {
      const ended = await endSession(tx, Buffer.from(sessionId, 'hex'))
      const isOwn = ended?.iss === person.issuer && ended.sub === person.id
      // a session of somebody else does not exist for a person who may not see it; this undoes the deletion
      if (ended === null || (!isOwn && !mayAll))
        throw new ConsoleFailure('NOT_FOUND', platformMessage('notFound', { kind: 'session' }))
      const reason = isOwn ? 'by hand' : `${ended.name}, ${ended.sub}`
      await recorder.sessionEnded(tx, knownPerson(person), origin, reason)
    })
    return { sessionId }
  })
  add('POST /sessions/end', async ({ person, body: { issuer, personId }, origin }) => {
    const ended = await endSessionsOfPerson(db, {
      person: { iss: issuer, sub: personId },
      recorder,
      origin,
      actor: knownPerson(person),
    })
    return { ended }
  })
  return app
}

function cursorOf(text: string): SessionCursor {
  const [, createdAt, sessionId] = CURSOR.exec(text) ?? []
  if (createdAt === undefined || sessionId === undefined || !Timestamp.safeParse(createdAt).success)
    throw new ConsoleFailure('REQUEST_INVALID', platformMessage('cursorInvalid'))
  return { createdAt, sessionId }
}

function entryOf(row: ListedSession, reader: Person): SessionEntry {
  const { sessionId, iss, sub, name, roles, createdAt, lastSeenAt, clientAddress, userAgent } = row
  return {
    sessionId,
    person: { id: sub, name },
    issuer: iss,
    roles: [...new Set(roles.map(({ role }) => role))],
    createdAt,
    lastSeenAt,
    clientAddress,
    userAgent,
    isCurrent: sessionId === reader.sessionId,
  }
}
