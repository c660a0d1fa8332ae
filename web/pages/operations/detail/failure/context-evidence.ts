import type {
  Attempt,
  ContextCause,
  Failure,
  OperationContext,
  OperationDetail,
  Person,
  PluginCall,
} from '#contract/console-api/shapes.ts'
import { reasonOf } from '#contract/protocol/messages.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Evidence } from '../../../../subjects/operations/describe-failure.ts'
import { scopeText } from '../../../../subjects/scopes/scope-text.ts'
import { effectOf, namedChanges } from '../calls/progress.ts'
import { endpointChange, movedBetween } from './endpoint-change.ts'
import { misplacedAnswer } from './response-differences.ts'

// What a failure itself, and the changes before it, prove about its cause.

/** What the failure, its last attempt, and the changes before it prove. */
export const evidenceOf = (
  context: OperationContext | undefined,
  operation: OperationDetail,
  failure: Failure,
  call: PluginCall | null,
  attempt: Attempt | undefined,
) =>
  ({
    misplaced: misplacedAnswer(attempt?.response),
    endpointChanged: endpointChanged(context, operation, call, attempt),
    endpointBy: call === null ? null : endpointBy(context, call.pluginId, operation.finishedAt),
    hasWrongClock: attempt?.wire?.clockBehindSeconds !== undefined,
    lowered: call === null ? null : loweredLimit(context, call.pluginId, operation.finishedAt),
    newVersion: call === null ? null : newVersion(context, call.pluginId, operation.finishedAt),
    mayHaveLeft: call !== null && effectOf(failure, call).kind === 'earlier',
    // a plugin that asks for a retry does not mean what that attempt left behind
    hasEarlier: call !== null && !failure.retryable && effectOf(failure, call).kind === 'earlier',
    isNamed: !failure.retryable && namedChanges(operation).length > 0,
  }) satisfies Evidence

/** What is known of the cause of a failure beyond its message, for its panel and for a ticket. */
export function findingsOf({
  operation,
  failure,
  context,
  call,
  attempt,
  isReplayed,
}: {
  operation: OperationDetail
  failure: Failure
  context: OperationContext | undefined
  call: PluginCall | null
  attempt: Attempt | undefined
  /** The response belongs to another operation that the reader may see. */
  isReplayed: boolean
}) {
  const evidence = evidenceOf(context, operation, failure, call, attempt)
  const [writer, ...otherWriters] = writersIn(context)
  /** The only plugin whose values may be wrong, if that is why it failed. */
  const blamed =
    operation.nextStep.action === 'CHECK_VALUES' && otherWriters.length === 0 ? writer : undefined
  const decision = decisionBehind(context, operation, call?.pluginId)
  const misplaced: Evidence['misplaced'] = isReplayed ? 'replayed' : evidence.misplaced
  const isNotRegistered = reasonOf(failure) === 'pluginNotRegistered'
  return {
    evidence: { ...evidence, misplaced },
    /** What a person decided, if that is why it failed or cannot be retried. */
    decision,
    blamed,
    /** Who is responsible for the plugin that failed, or for the one that is blamed. */
    owner: operation.plugins.find(({ pluginId }) => pluginId === (blamed ?? call?.pluginId))?.owner,
    /**
     * Whether the message is to be shown: that of a plugin that is not registered repeats the title, and knows neither who disabled it
     * nor that it is enabled again; that of a response to another call blames the plugin.
     */
    isMessageSound: !isNotRegistered && misplaced !== 'replayed' && misplaced !== 'otherStage',
  }
}

function endpointChanged(
  context: OperationContext | undefined,
  { plugins, createdAt, finishedAt }: OperationDetail,
  call: PluginCall | null,
  attempt: Attempt | undefined,
): NonNullable<Evidence['endpointChanged']> | null {
  const plugin = plugins.find(({ pluginId }) => pluginId === call?.pluginId)
  if (plugin === undefined) return null
  if (attempt && endpointChange(plugin, attempt.startedAt) !== null) return 'after'
  if (attempt && movedBetween(plugin, createdAt, attempt.startedAt) !== null) return 'during'
  return hasNewEndpoint(context, plugin.pluginId, finishedAt) ? 'before' : null
}

type Field = 'endpoint' | 'version' | 'enabled' | 'timeoutMs' | 'maxAttempts'
type Value = ContextCause['changes'][number]['before']

/** How a field of a registration differs between two moments, and the last change of it. */
interface NetChange {
  before: Value
  after: Value
  last: ContextCause
}

/**
 * How a field of the registration of a plugin was changed before the operation ended, all changes taken together: what was changed back is
 * no change, nor is what the plugin has succeeded with since. Null if there is none.
 */
export function netChange(
  context: OperationContext | undefined,
  pluginId: string,
  field: Field,
  until: OperationDetail['finishedAt'],
): NetChange | null {
  // the causes are sorted, newest first
  const changes = (context?.causes ?? []).flatMap((cause) => {
    const { kind, subject, at, succeededSince } = cause
    if (kind !== 'plugin.save' || subject !== pluginId || succeededSince === true) return []
    if (until !== null && at > until) return []
    // what was not set before is new, and no change: so is a registration
    const change = cause.changes.find(({ property, before }) => property === field && before !== null)
    return change === undefined ? [] : [{ ...change, cause }]
  })
  const [last, first] = [changes[0], changes.at(-1)]
  if (last === undefined || first === undefined) return null
  const [before, after] = [first.before, last.after]
  return dataOf(before) === dataOf(after) ? null : { before, after, last: last.cause }
}

const dataOf = (value: Value): unknown => (value !== null && 'value' in value ? value.value : null)

/** The other plugins that wrote what the failed call read, or left it without a value. */
export const writersIn = (context: OperationContext | undefined): string[] => [
  ...new Set(
    (context?.valuesRead ?? []).flatMap(({ kind, writer }) => (kind === 'KEPT' ? [] : [writer.pluginId])),
  ),
]

/** Whether the plugin has another endpoint than before. */
export function hasNewEndpoint(
  context: OperationContext | undefined,
  pluginId: string,
  until: string | null,
): boolean {
  return netChange(context, pluginId, 'endpoint', until) !== null
}

/** Who changed the endpoint of the plugin last; null if nobody did, or the reader may not see who. */
const endpointBy = (
  context: OperationContext | undefined,
  pluginId: string,
  until: string | null,
): string | null => netChange(context, pluginId, 'endpoint', until)?.last.by?.name ?? null

/** How the version of the plugin was changed; null if it was not, or one of the two is unknown. */
export function newVersion(
  context: OperationContext | undefined,
  pluginId: string,
  until: string | null,
): NonNullable<Evidence['newVersion']> | null {
  const change = netChange(context, pluginId, 'version', until)
  const [before, after] = [dataOf(change?.before ?? null), dataOf(change?.after ?? null)]
  return typeof before === 'string' && typeof after === 'string' ? { before, after } : null
}

/** What a person did on purpose, so that nobody is to undo it without them. */
export interface Decision {
  kind: 'disabled' | 'revoked' | 'serviceDisabled' | 'serviceNotAllowed' | 'recalled'
  by: Person
  at: string
  reason: string | null
}

/** The decision because of which an operation failed or cannot be retried; null if there is none that the reader may see. */
export function decisionBehind(
  context: OperationContext | undefined,
  operation: Pick<OperationDetail, 'failure' | 'installation' | 'nextStep'>,
  pluginId: string | undefined,
): Decision | null {
  const { failure, nextStep } = operation
  const { rule, service } = failure?.refusedHere ?? {}
  const newest = (isIt: (cause: ContextCause) => boolean) => context?.causes.find(isIt)
  const decided = (kind: Decision['kind'], cause: ContextCause | null | undefined): Decision | null =>
    cause?.by ? { kind, by: cause.by, at: cause.at, reason: cause.reason } : null
  const isOfPlugin = ({ subject }: ContextCause) => subject === pluginId
  const isOfService = ({ kind, subject }: ContextCause) => kind === 'service.save' && subject === service
  if (failure !== null && reasonOf(failure) === 'pluginNotRegistered')
    return decided('disabled', disabledBy(context, pluginId))
  switch (nextStep.action) {
    case 'REGISTER_PLUGIN':
      return decided('disabled', disabledBy(context, pluginId))
    case 'CREATE_CREDENTIAL':
      return decided(
        'revoked',
        newest((cause) => cause.kind === 'plugin.credential.revoke' && isOfPlugin(cause)),
      )
    case 'CHECK_VERSION':
      return decided(
        'recalled',
        newest(({ kind }) => kind === 'bundle.recall'),
      )
    case 'RESTORE_SERVICE':
      if (rule === 'SERVICE_DISABLED')
        return decided(
          'serviceDisabled',
          newest((cause) => isOfService(cause) && changed(cause, 'enabled')?.after === false),
        )
      return rule === 'SERVICE_NOT_ALLOWED'
        ? decided(
            'serviceNotAllowed',
            newest((cause) => isOfService(cause) && removesScope(cause, operation.installation)),
          )
        : null
    default:
      return null
  }
}

function changed({ changes }: ContextCause, field: string): { before: unknown; after: unknown } | null {
  const change = changes.find(({ property }) => property === field)
  return change === undefined ? null : { before: dataOf(change.before), after: dataOf(change.after) }
}

/** Whether a change of a service took a scope from its consumers. */
function removesScope(cause: ContextCause, scope: Scope): boolean {
  const change = changed(cause, 'consumers')
  const has = (consumers: unknown) => consumersIn(consumers).includes(scopeText(scope))
  return change !== null && has(change.before) && !has(change.after)
}

/** The consumers of a service as people read scopes. What is no scope is left out. */
export const consumersIn = (consumers: unknown): string[] =>
  (Array.isArray(consumers) ? consumers : []).flatMap((entry: unknown) =>
    isScope(entry) ? [scopeText(entry)] : [],
  )

const isScope = (value: unknown): value is Scope =>
  typeof value === 'object' &&
  value !== null &&
  'environmentKey' in value &&
  'applicationRuntimeId' in value &&
  'workspaceId' in value

/** The change that disabled a plugin; null if it is not disabled, or was enabled again. */
function disabledBy(
  context: OperationContext | undefined,
  pluginId: string | undefined,
): ContextCause | null {
  if (pluginId === undefined) return null
  // also after the operation has ended: the sentence says what to do now
  const change = netChange(context, pluginId, 'enabled', null)
  return change !== null && dataOf(change.after) === false ? change.last : null
}

/** The limit of the plugin that is lower than before. */
export function loweredLimit(
  context: OperationContext | undefined,
  pluginId: string,
  until: string | null,
): NonNullable<Evidence['lowered']> | null {
  for (const limit of ['timeoutMs', 'maxAttempts'] as const) {
    const change = netChange(context, pluginId, limit, until)
    const [before, after] = [dataOf(change?.before ?? null), dataOf(change?.after ?? null)]
    if (typeof before === 'number' && typeof after === 'number' && after < before)
      return { limit, before, after }
  }
  return null
}
