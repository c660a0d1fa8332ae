import { after, before, beforeEach } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '#database/pool.ts'
import { createLog } from '#http-kit/log.ts'
import type { BffTables } from '../store/tables.ts'
import { openBffDatabase } from '../testing.ts'
import { createRecorder } from './recorder.ts'
import type { KnownPerson, RefusedRequest } from './recorder.ts'

export const ada: KnownPerson = { id: 'ada', name: 'Ada', issuer: 'https://idp.test' }
export const bob: KnownPerson = { id: 'bob', name: 'Bob', issuer: 'https://idp.test' }
export const refusal: RefusedRequest = {
  action: 'plugin.save',
  subject: 'mailer',
  errorCode: 'PERMISSION_DENIED',
  scope: null,
  bundleInstallId: null,
  operationId: null,
}
export const from = (clientAddress: string, requestId = 'r-1') => ({ clientAddress, requestId })

let database: Database<BffTables>
const lines: Record<string, unknown>[] = []
const log = createLog({
  name: 'test',
  level: 'debug',
  stream: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
})

/** Gives the tests of a file a database and a log, both empty before each test. */
export function recordInDatabase(): void {
  before(async () => {
    database = await openBffDatabase()
  })
  after(() => database.close())
  beforeEach(async () => {
    lines.length = 0
    await sql`delete from bff.audit_event`.execute(database.db)
  })
}

/** That database and log. */
export const recorded = {
  log,
  lines,
  get db() {
    return database.db
  },
}
export const recorder = (mergeSeconds = 60) => createRecorder({ db: recorded.db, log, mergeSeconds })
export const events = async () =>
  recorded.db.selectFrom('bff.audit_event').selectAll().orderBy('first_at').orderBy('event_id').execute()
