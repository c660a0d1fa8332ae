import { AUDIT_ACTIONS } from '#contract/runtime-api/audit.ts'
import type { AuditEntry } from '#contract/runtime-api/audit.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { listAuditRows } from '../store/audit/list-entries.ts'
import type { AuditRow } from '../store/audit/list-entries.ts'
import { cursorInteger, cursorValues, pageOf } from '../store/page.ts'

/** Who did what, newest first, of what the actor may see. */
export async function listAudit(
  { world, actor }: ReadContext,
  { query }: Input<'GET /audit'>,
): Promise<Answer<'GET /audit'>> {
  const [sequence] = cursorValues(query.cursor, ['number']) ?? []
  const after = sequence === undefined ? null : cursorInteger(sequence)
  const rows = await listAuditRows(world.db, actor, query, after)
  return pageOf(rows, query.limit, { item: (row) => entryView(row), valuesOf: (row) => [row.sequence] })
}

function entryView(row: AuditRow): AuditEntry {
  const {
    environment_key: environmentKey,
    application_runtime_id: applicationRuntimeId,
    workspace_id: workspaceId,
  } = row
  const hasScope = environmentKey !== null && applicationRuntimeId !== null && workspaceId !== null
  return {
    sequence: row.sequence,
    at: row.at,
    actor: { id: row.actor_id, name: row.actor_name },
    action: actionOf(row.action),
    subject: row.subject,
    scope: hasScope ? { environmentKey, applicationRuntimeId, workspaceId } : null,
    bundleInstallId: row.bundle_install_id,
    operationId: row.operation_id,
    reason: row.reason,
    changes: row.changes,
    outcome: row.outcome,
    requestId: row.request_id,
  }
}

function actionOf(text: string): AuditEntry['action'] {
  const action = AUDIT_ACTIONS.find((known) => known === text)
  if (action === undefined) throw new Error(`the audit holds the unknown action "${text}"`)
  return action
}
