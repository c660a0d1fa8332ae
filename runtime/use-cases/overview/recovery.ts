import type { AuditAction, RecoveryCause } from '#contract/runtime-api/vocabulary.ts'
import type { Db } from '../../model/db.ts'
import { recordProcessEvent } from '../../store/process-events.ts'
import { findRecovery, RAISE_BY, recover } from '../../store/recovery/recover.ts'
import type { RecoveredFrom, Recovery, RecoverOptions } from '../../store/recovery/recover.ts'
import { fieldChanges, recordAudit, systemActor } from '../audit/record.ts'
import type { Answer, ReadContext } from '../context.ts'

const ACTIONS: Record<RecoveryCause, AuditAction> = {
  BACKUP_RESTORED: 'database.restore',
  SERVER_CHANGED: 'database.failover',
  COMMAND: 'database.recover',
}

/** Recovers the database ({@link recover}), and records why in the audit, and for operations that fail afterwards. */
export function recoverDatabase(
  db: Db,
  from: RecoveredFrom,
  options: Omit<RecoverOptions, 'from' | 'record'> = {},
): Promise<Recovery | null> {
  const { raiseBy = RAISE_BY } = options
  return recover(db, {
    ...options,
    from,
    record: async (tx, recovery) => {
      await recordProcessEvent(tx, 'database.recover')
      await recordAudit(tx, systemActor('recovery'), {
        action: ACTIONS[from.because],
        subject: from.backup?.at ?? 'database',
        changes: fieldChanges(null, {
          backupVersion: from.backup?.version,
          backupBuild: from.backup?.build,
          operationsInDoubt: recovery.operationsInDoubt,
          numbersRaisedBy: raiseBy,
        }),
      })
    },
  })
}

export async function readRecovery({ deps }: ReadContext): Promise<Answer<'GET /recovery'>> {
  const row = await findRecovery(deps.db)
  if (row === undefined) return { recovery: null }
  const { backup_at: at, backup_version: version, backup_build: build } = row
  return {
    recovery: {
      at: row.recovered_at,
      because: row.because ?? 'SERVER_CHANGED',
      backup: at === null || version === null ? null : { at, version, build },
      raisedBy: row.raised_by,
      operationsInDoubt: row.operations_in_doubt,
    },
  }
}
