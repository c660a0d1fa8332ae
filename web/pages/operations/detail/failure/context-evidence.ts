import type { ContextCause, OperationContext, OperationDetail } from '#contract/console-api/shapes.ts'
import type { Evidence } from '../../../../subjects/operations/describe-failure.ts'

// What the changes before a failure prove about it.

type Field = 'endpoint' | 'enabled' | 'timeoutMs' | 'maxAttempts'
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

/** Whether the plugin has another endpoint than before. */
export function hasNewEndpoint(
  context: OperationContext | undefined,
  pluginId: string,
  until: string | null,
): boolean {
  return netChange(context, pluginId, 'endpoint', until) !== null
}

/** The change that disabled a plugin; null if it is not disabled, or was enabled again. */
export function disabledBy(context: OperationContext | undefined, pluginId: string): ContextCause | null {
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
