import type { AuditChange, AuditEntry } from '#contract/runtime-api/audit.ts'
import type { PropertyView } from '#contract/runtime-api/common.ts'
import { AUDIT_ACTIONS } from '#contract/runtime-api/vocabulary.ts'
import type { AuditAction } from '#contract/runtime-api/vocabulary.ts'
import { isAmong } from '../../engine/changes/compare.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { listAuditRows } from '../../store/audit.ts'
import type { AuditRow } from '../../store/audit.ts'
import { readAuditMarks } from '../../store/configuration/sensitivity.ts'
import type { AuditMark } from '../../store/configuration/sensitivity.ts'
import { cursorInteger, cursorValues, pageOf } from '../paging.ts'

/** Who did what, by the time at which it happened, newest first, limited to what the actor may see. */
export async function listAudit(
  { deps, actor }: ReadContext,
  { query }: Input<'GET /audit'>,
): Promise<Answer<'GET /audit'>> {
  const [sequence] = cursorValues(query.cursor, ['number']) ?? []
  const after = sequence === undefined ? null : cursorInteger(sequence)
  const rows = await listAuditRows(deps.db, actor, query, after)
  const marks = await readAuditMarks(
    deps.db,
    rows.filter(({ changes }) => changes.some(showsValue)).map(({ sequence }) => sequence),
  )
  return pageOf(rows, query.limit, {
    item: (row) => entryView(row, marks),
    valuesOf: (row) => [row.sequence],
    found: rows[0]?.found,
  })
}

const isShown = (view: PropertyView | null): boolean => view?.['@type'] === 'Data' && 'value' in view

const showsValue = ({ before, after }: AuditChange): boolean => isShown(before) || isShown(after)

/** Masks a property that was marked as sensitive after the entry was written. The stored entry stays unchanged. */
export function maskedChange(change: AuditChange): AuditChange {
  const hide = (view: PropertyView | null): PropertyView | null =>
    view === null || view['@type'] === 'Data'
      ? { '@type': 'Data', isSensitive: true, isSet: view !== null && !('isSet' in view && !view.isSet) }
      : view
  return { ...change, before: hide(change.before), after: hide(change.after) }
}

/** The changes of an entry; `marks` are those of `readAuditMarks`. */
export function shownChanges({ sequence, changes }: AuditRow, marks: readonly AuditMark[]): AuditChange[] {
  const isMarked = isAmong(marks.filter((mark) => mark.sequence === sequence))
  return changes.map((change) => {
    const { locator, property } = change
    return locator !== null && isMarked({ locator, property }) ? maskedChange(change) : change
  })
}

function entryView(row: AuditRow, marks: readonly AuditMark[]): AuditEntry {
  const {
    environment_key: environmentKey,
    application_runtime_id: applicationRuntimeId,
    workspace_id: workspaceId,
  } = row
  const hasScope = environmentKey !== null && applicationRuntimeId !== null && workspaceId !== null
  return {
    sequence: row.sequence,
    at: row.at,
    actor: { id: row.actor_id, name: row.actor_name, issuer: row.actor_issuer },
    clientAddress: row.client_address,
    action: actionOf(row.action),
    subject: row.subject,
    scope: hasScope ? { environmentKey, applicationRuntimeId, workspaceId } : null,
    bundleInstallId: row.bundle_install_id,
    operationId: row.operation_id,
    reason: row.reason,
    changes: shownChanges(row, marks),
    outcome: row.outcome,
    errorCode: row.error_code,
    requestId: row.request_id,
    occurrences: occurrencesOf(row),
  }
}

function occurrencesOf(row: AuditRow): AuditEntry['occurrences'] {
  const { occurrence_count: count, first_occurred_at: firstAt, last_occurred_at: lastAt } = row
  return count === null || firstAt === null || lastAt === null ? null : { count, firstAt, lastAt }
}

function actionOf(text: string): AuditAction {
  const action = AUDIT_ACTIONS.find((known) => known === text)
  if (action === undefined) throw new Error(`the audit holds the unknown action "${text}"`)
  return action
}
