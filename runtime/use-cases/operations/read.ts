import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { hideProtectedProperty } from '#contract/protocol/protected-property.ts'
import type { Person } from '#contract/runtime-api/common.ts'
import { RECEIPT_FORMAT, RECEIPT_VERSION } from '#contract/runtime-api/receipts.ts'
import type { OperationDetail } from '#contract/runtime-api/operations.ts'
import { inTransaction } from '#database/transaction.ts'
import { writeRuleOf } from '../../engine/calls/refused-write.ts'
import { withMarks } from '../../engine/calls/sensitive-values.ts'
import { isPutAside } from '../../engine/plans/upgrade-plan.ts'
import type { Tx } from '../../model/db.ts'
import type { Vault } from '../../model/vault.ts'
import type { OperationRow } from '../../model/operation.ts'
import { batchesOfOperation } from '../../store/batches/list-batches.ts'
import { readMarksSince } from '../../store/configuration/sensitivity.ts'
import { readPluginBindings } from '../../store/installations/last-applied.ts'
import {
  countResults,
  readAttempts,
  areAttemptsRemoved,
  readAttemptPage,
  readTakenOverResults,
} from '../../store/operations/attempts.ts'
import { readCalls, readCallsWithoutRequests } from '../../store/operations/calls.ts'
import { readNotes, findOperation } from '../../store/operations/operations.ts'
import { bytesOfValues, readPlan } from '../../store/operations/plans.ts'
import { readRetries } from '../../store/operations/runs.ts'
import { listCalledPlugins, readEndpoints } from '../../store/plugins/plugins.ts'
import { authorize } from '../authorize.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { cursorInteger, cursorValues, pageOf } from '../paging.ts'
import { operationDetail, attemptView, masksOf } from './detail.ts'
import { findVisibleOperation } from './runs.ts'

type OperationEndpoint = 'GET /operations/{operationId}'

/** How many attempts of a call the response has of its beginning, and of its end. */
export const SHOWN_ENDS = 20

/** One operation with its plan, its calls, and the first and the last attempts of each. */
export function readOperation(
  context: ReadContext,
  { params }: Input<OperationEndpoint>,
): Promise<Answer<OperationEndpoint>> {
  return readDetail(context, params.operationId, SHOWN_ENDS)
}

/** One operation with all attempts, or the first and the last `ends` of each call. Refuses with NOT_FOUND. */
export async function readDetail(
  { deps, actor }: ReadContext,
  operationId: string,
  ends?: number,
): Promise<OperationDetail> {
  const { db, vault } = deps
  // one snapshot: an attempt that ends between two reads would be in progress in one and finished in the other
  return inTransaction(
    db,
    async (tx) => {
      const operation = await findVisibleOperation(tx, actor, operationId)
      const plan = await readPlan(tx, vault, operationId)
      return operationDetail({
        operation,
        plan: withMarks(plan, await readMarksSince(tx, operationId)),
        putAside: new Set(plan.changes.filter((change) => isPutAside(plan, change))),
        calls: await readCalls(tx, vault, operationId),
        attempts: await readAttempts(tx, operationId, ends),
        results: ends === undefined ? [] : await countResults(tx, operationId, ends),
        takenOver: operation.takes_over === null ? [] : await readTakenOverResults(tx, operationId),
        notes: await readNotes(tx, operationId),
        retries: await readRetries(tx, operationId),
        successor:
          operation.taken_over_by === null ? undefined : await findOperation(tx, operation.taken_over_by),
        plugins: await listCalledPlugins(tx, operationId),
        endpoints: await readEndpoints(tx, operationId),
        batches: await batchesOfOperation(tx, operationId),
        attemptsRemoved: await areAttemptsRemoved(tx, operationId),
        bindings: writeRuleOf(operation.failure) === null ? undefined : await bindingsOf(tx, operation),
      })
    },
    { isolation: 'repeatable read' },
  )
}

/** The plugin bindings of the version from which the plan of an operation was compiled. */
const bindingsOf = (tx: Tx, { bundle_environment_key, bundle_id, target_version }: OperationRow) =>
  readPluginBindings(tx, { environmentKey: bundle_environment_key, bundleId: bundle_id }, target_version)

type AttemptsEndpoint = 'GET /operations/{operationId}/attempts'

/** The attempts of one call, in the order of their numbers. A call that the operation does not make has none. */
export function listAttempts(
  { deps: { db, vault }, actor, hasRead }: ReadContext,
  { params: { operationId }, query }: Input<AttemptsEndpoint>,
): Promise<Answer<AttemptsEndpoint>> {
  const { stage, pluginId, limit } = query
  // one snapshot, as for the operation: a mark that is set between two reads must mask the attempts
  return inTransaction(
    db,
    async (tx) => {
      const operation = await findVisibleOperation(tx, actor, operationId)
      const after = cursorValues(query.cursor, ['number'])
      const from = after === null ? query.from : cursorInteger(after[0])
      const calls = await readCallsWithoutRequests(tx, vault, operationId)
      const call = calls.find((row) => row.stage === stage && row.plugin_id === pluginId)
      if (call === undefined) return { items: [], nextCursor: null }
      const plan = await readPlan(tx, vault, operationId)
      hasRead?.(bytesOfValues(plan))
      const masks = masksOf({ plan: withMarks(plan, await readMarksSince(tx, operationId)), calls })
      const attempts = await readAttemptPage(tx, { operationId, stage, pluginId }, { from, limit: limit + 1 })
      return pageOf(attempts, limit, {
        item: (attempt) => attemptView(attempt, call, operation, masks),
        valuesOf: (attempt) => [attempt.attempt + 1],
      })
    },
    { isolation: 'repeatable read' },
  )
}

type ReceiptEndpoint = 'GET /operations/{operationId}/receipt'

/** The receipt of an operation, with all attempts. Refuses with NOT_FOUND or PERMISSION_DENIED. */
export async function readReceipt(
  context: ReadContext,
  { params }: Input<ReceiptEndpoint>,
): Promise<Answer<ReceiptEndpoint>> {
  const { actor, deps } = context
  const operation = await readDetail(context, params.operationId)
  authorize(actor, 'operation:export', operation.installation)
  return receiptOf(deps.vault, operation, { at: deps.clock.now(), by: actor })
}

/** The receipt with its signatures and its digest, which `by` exports. */
export function receiptOf(
  vault: Vault,
  operation: OperationDetail,
  { at, by }: { at: Date; by: Person },
): Answer<ReceiptEndpoint> {
  // hidden before the digest is computed: the console's server would hide it later
  const content = hideProtectedProperty({
    format: RECEIPT_FORMAT,
    version: RECEIPT_VERSION,
    exportedAt: at.toISOString(),
    exportedBy: { id: by.id, name: by.name },
    operation,
  } as const)
  const signatures = vault.signatures('operation receipt', digestOf(content))
  const signed = { ...content, signatures }
  return { ...signed, sha256: digestOf(signed) }
}

function digestOf(content: object): string {
  const canonical = canonicalize(content)
  if (canonical === undefined) throw new TypeError('a receipt must be JSON')
  return createHash('sha256').update(canonical).digest('hex')
}
