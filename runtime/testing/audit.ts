import { openDatabase } from '#database/pool.ts'
import { toUrl } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import { inTransaction } from '#database/transaction.ts'
import type { Actor } from '../model/actor.ts'
import { RUNTIME_MIGRATIONS } from '../store/migrations.ts'
import type { RuntimeTables } from '../model/tables.ts'
import { recordAudit } from '../use-cases/audit/record.ts'
import type { AuditRecord } from '../use-cases/audit/record.ts'
import type { Db } from '../model/db.ts'

/** A database with only the audit, for a test file. Its connections are those of a superuser. */
export interface TestAudit {
  db: Db
  connection: ConnectionSettings
  url: string
  /** Writes one entry for each subject, each in a separate transaction. */
  write(...subjects: string[]): Promise<void>
  close(): Promise<void>
}

export const ACTOR: Actor = { id: 'ada', name: 'Ada', grants: [], requestId: 'request-1' }
export const LOCATED: Actor = { ...ACTOR, issuer: 'https://idp.test/ä', clientAddress: '2001:db8::1' }

export async function testAudit(): Promise<TestAudit> {
  const database = await testDatabase({ migrations: [RUNTIME_MIGRATIONS] })
  const { db, close } = openDatabase<RuntimeTables>(database.connection, { max: 10 })
  return {
    db,
    connection: database.connection,
    url: toUrl(database.connection),
    async write(...subjects) {
      for (const subject of subjects)
        await inTransaction(db, (tx) => recordAudit(tx, ACTOR, { action: 'plugin.save', subject }))
    },
    async close() {
      await close()
      await database.close()
    },
  }
}

/** An entry with all optional fields, in characters that take several bytes. */
export const FULL: AuditRecord = {
  action: 'configuration.save',
  subject: 'Käufer, 顧客 🙂\n"and" more',
  scope: { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 7 },
  bundleInstallId: '0199f000-0000-7000-8000-000000000001',
  operationId: '0199F000-0000-7000-8000-00000000000A',
  reason: '5:a,b,-,',
  changes: [
    {
      locator: 'dev/crm/MODULE/core',
      property: 'größe',
      before: null,
      after: { '@type': 'Data', value: 1.5 },
    },
  ],
  outcome: 'REFUSED',
  errorCode: 'PERMISSION_DENIED',
  occurrences: { count: 12, firstAt: '2026-11-21T10:00:00.000Z', lastAt: '2026-11-21T10:00:59.500Z' },
}
