import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import type { Pause } from '#contract/runtime-api/pauses.ts'
import { DomainError } from '../../engine/refusals.ts'
import { lockScope, scopeOf } from '../../store/configuration/scopes.ts'
import { deletePause, insertPause, listPauses } from '../../store/operations/pauses.ts'
import type { Paused, PauseRow } from '../../store/operations/pauses.ts'
import { lockPlugin } from '../../store/plugins/plugins.ts'
import { recordAudit } from '../audit/record.ts'
import type { AuditRecord } from '../audit/record.ts'
import { notFound } from '../authorize.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { lockOperationFor } from './runs.ts'

// A pause holds the next plugin call of what it concerns; a call in flight ends, and what needs no call ends too. It is not a state of
// an operation: claims, attempts and exactly-once stay as they are, because the operation only stays in the queue.

type OfOperation = `POST /operations/{operationId}/${'pause' | 'resume'}`
type OfScope = `POST /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/${'pause' | 'resume'}`
type OfPlugin = `POST /plugins/{pluginId}/${'pause' | 'resume'}`
/** What the rows of one kind have in common. */
type Given<Name extends OfOperation | OfScope | OfPlugin> = Pick<Input<Name>, 'params' | 'body'>

/** What holds operations up that the actor may see, the newest first. */
export async function readPauses(
  { deps, actor }: ReadContext,
  { query }: Input<'GET /pauses'>,
): Promise<Answer<'GET /pauses'>> {
  return {
    items: (await listPauses(deps.db, actor, query)).flatMap((row) => viewOf(row) ?? []),
    nextCursor: null,
  }
}

/** Pauses an unfinished operation. Refuses with NOT_FOUND, and with REQUEST_INVALID if it has ended or is paused already. */
export const pauseOperation = (
  context: WriteContext,
  input: Given<OfOperation>,
): Promise<Answer<OfOperation>> => changeOperation(context, input, true)

/** Resumes an operation; its scope or plugin may still hold it. Refuses with NOT_FOUND, and with REQUEST_INVALID if it is not paused. */
export const resumeOperation = (
  context: WriteContext,
  input: Given<OfOperation>,
): Promise<Answer<OfOperation>> => changeOperation(context, input, false)

async function changeOperation(
  context: WriteContext,
  { params: { operationId }, body: { reason } }: Given<OfOperation>,
  isPausing: boolean,
): Promise<Answer<OfOperation>> {
  const operation = await lockOperationFor(context, 'operation:retry', operationId)
  const { state } = operation
  if (isPausing && state !== 'PENDING' && state !== 'RUNNING' && state !== 'WAITING')
    throw new DomainError('REQUEST_INVALID', platformMessage('operationEnded', { actual: state }))
  return change(context, { operationId }, isPausing, {
    action: isPausing ? 'operation.pause' : 'operation.resume',
    subject: `${operation.operation_type} of ${operation.installation_title}, run ${operation.run}`,
    scope: scopeOf(operation),
    bundleInstallId: operation.bundle_install_id,
    operationId,
    reason,
  })
}

/** Pauses the operations of a scope, also those that begin later. Refuses as `pauseOperation` does. */
export const pauseScope = (context: WriteContext, input: Given<OfScope>): Promise<Answer<OfScope>> =>
  changeScope(context, input, true)

/** Resumes a scope; an operation that is paused itself stays so. Refuses as `resumeOperation` does. */
export const resumeScope = (context: WriteContext, input: Given<OfScope>): Promise<Answer<OfScope>> =>
  changeScope(context, input, false)

async function changeScope(
  context: WriteContext,
  { params: scope, body: { reason } }: Given<OfScope>,
  isPausing: boolean,
): Promise<Answer<OfScope>> {
  // anyone who creates an operation locks its scope before
  const row = await lockScope(context.tx, scope)
  if (row === undefined) throw notFound('scope')
  return change(context, { scopeId: row.scope_id }, isPausing, {
    action: isPausing ? 'scope.pause' : 'scope.resume',
    subject: scopeText(scope),
    scope,
    reason,
  })
}

/** Pauses a plugin: every operation that calls it next waits. Refuses as `pauseOperation` does. */
export const pausePlugin = (context: WriteContext, input: Given<OfPlugin>): Promise<Answer<OfPlugin>> =>
  changePlugin(context, input, true)

/** Resumes a plugin. Refuses as `resumeOperation` does. */
export const resumePlugin = (context: WriteContext, input: Given<OfPlugin>): Promise<Answer<OfPlugin>> =>
  changePlugin(context, input, false)

async function changePlugin(
  context: WriteContext,
  { params: { pluginId }, body: { reason } }: Given<OfPlugin>,
  isPausing: boolean,
): Promise<Answer<OfPlugin>> {
  if ((await lockPlugin(context.tx, pluginId)) === undefined) throw notFound('plugin')
  return change(context, { pluginId }, isPausing, {
    action: isPausing ? 'plugin.pause' : 'plugin.resume',
    subject: pluginId,
    reason,
  })
}

async function change(
  { tx, actor }: WriteContext,
  what: Paused,
  isPausing: boolean,
  audit: AuditRecord & { reason: string },
): Promise<Answer<OfPlugin>> {
  const isChanged = isPausing ? await insertPause(tx, what, actor, audit.reason) : await deletePause(tx, what)
  if (!isChanged)
    throw new DomainError('REQUEST_INVALID', platformMessage(isPausing ? 'pausedAlready' : 'notPaused'))
  await recordAudit(tx, actor, audit)
  return { paused: isPausing }
}

/** Null if what it names is no longer there. */
function viewOf(row: PauseRow): Pause | null {
  const of = subjectOf(row)
  if (of === null) return null
  return {
    of,
    at: row.paused_at,
    by: { id: row.paused_by_id, name: row.paused_by_name },
    reason: row.reason,
    operations: row.operations,
  }
}

function subjectOf(row: PauseRow): Pause['of'] | null {
  const { plugin_id: pluginId, plugin_title: plugin, operation_id: operationId } = row
  if (pluginId !== null) return { kind: 'PLUGIN', pluginId, title: plugin ?? pluginId }
  const { environment_key: environmentKey, application_runtime_id: applicationRuntimeId } = row
  if (environmentKey === null || applicationRuntimeId === null || row.workspace_id === null) return null
  const scope = { environmentKey, applicationRuntimeId, workspaceId: row.workspace_id }
  if (operationId === null || row.operation_type === null) return { kind: 'SCOPE', scope }
  const { operation_type: operationType, installation_title: title } = row
  return { kind: 'OPERATION', operationId, operationType, title: title ?? '', scope }
}
