import type { Selectable } from 'kysely'
import type * as z from 'zod'
import { mayEverywhere } from '#contract/endpoint/permission.ts'
import type { auditEndpoints } from '#contract/runtime-api/audit.ts'
import type { AuditAction } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { visibleTo } from '../visible.ts'
import type { Db } from '../../model/db.ts'

const OWN_BATCHES = ['batch.create', 'batch.continue', 'batch.stop'] as const satisfies AuditAction[]

export type AuditRow = Selectable<RuntimeTables['runtime.audit_entry']>
export type AuditQuery = z.output<(typeof auditEndpoints)['GET /audit']['query']>

/**
 * The audit entries of scopes where the actor may read the audit, newest first, starting after `after`. Entries that
 * belong to no scope need `audit:platform` too, without limits; the actor's own batches are visible in any case, because
 * the targets of a batch may lie in several scopes.
 */
export function listAuditRows(
  db: Db,
  actor: Actor,
  filter: AuditQuery,
  after: number | null,
): Promise<AuditRow[]> {
  let query = db
    .selectFrom('runtime.audit_entry as entry')
    .selectAll('entry')
    .where(({ eb, and, or, lit }) => {
      const isInScope = mayEverywhere(actor.grants, 'audit:platform')
        ? lit(true)
        : eb('entry.environment_key', 'is not', null)
      return or([
        and([visibleTo(actor, 'audit:read', 'entry'), isInScope]),
        and([eb('entry.actor_id', '=', actor.id), eb('entry.action', 'in', OWN_BATCHES)]),
      ])
    })
    .orderBy('entry.sequence', 'desc')
    .limit(filter.limit + 1)
  if (filter.actor !== undefined) query = query.where('entry.actor_id', '=', filter.actor)
  if (filter.action !== undefined) query = query.where('entry.action', '=', filter.action)
  if (filter.bundleInstallId !== undefined)
    query = query.where('entry.bundle_install_id', '=', filter.bundleInstallId)
  if (filter.since !== undefined) query = query.where('entry.at', '>=', filter.since)
  if (filter.until !== undefined) query = query.where('entry.at', '<', filter.until)
  if (after !== null) query = query.where('entry.sequence', '<', after)
  return query.execute()
}
