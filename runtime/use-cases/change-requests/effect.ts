import { createHmac } from 'node:crypto'
import { isDowngrade } from '#contract/protocol/version-order.ts'
import type { BatchLimits } from '#contract/runtime-api/batches.ts'
import type { ShownInput } from '#contract/runtime-api/change-requests.ts'
import type { Changes, PropertyChange, PropertyView } from '#contract/runtime-api/common.ts'
import { propertyView } from '../../engine/changes/change-view.ts'
import { plannedStages } from '../../engine/plans/planned-calls.ts'
import type { ShownEffect } from '../../model/change-request-tables.ts'
import type { LedgerRow } from '../../model/ledger.ts'
import { changesText } from '../batches/targets.ts'
import type { BatchInputParts } from '../batches/targets.ts'
import { changeViews } from '../installations/change-views.ts'
import { canonicalText, valueInDigest } from '../plans/plan-token.ts'
import type { TokenPart } from '../plans/plan-token.ts'
import type { ChangeInput } from './content.ts'

/** Those that a batch is asked for with. */
export const limitsOf = ({ first, concurrency, stopAfterFailures, waves }: BatchLimits): BatchLimits => ({
  ...(first !== undefined && { first }),
  ...(concurrency !== undefined && { concurrency }),
  ...(stopAfterFailures !== undefined && { stopAfterFailures }),
  ...(waves !== undefined && { waves }),
})

/** What one installation or target contributes to an effect. */
interface Part {
  target: string
  part: TokenPart | null
  ledger: readonly LedgerRow[]
}

/**
 * The keyed digest of what would be done: values before and after, resources, calls by plugin, stage and order, compiled
 * authorizations, and the limits and waves of a batch. Not the snapshot, nor registrations: they may move without changing it.
 */
export function effectOf(key: string, parts: readonly Part[], limits: BatchLimits = {}): string {
  const effects = parts.map(({ target, part }) => [
    target,
    part === null || part.plan === null
      ? null
      : [
          part.operationType,
          part.targetVersion,
          part.plan.changes
            .map((change) =>
              canonicalText([change.locator, change.property, change.before, valueInDigest(part, change)]),
            )
            .toSorted(),
          part.plan.resources
            .map(({ locator, action, currentVersion, targetVersion }) =>
              canonicalText([locator, action, currentVersion, targetVersion]),
            )
            .toSorted(),
          plannedStages(part.plan, part.operationType).map(({ stage, calls }) => [
            stage,
            calls.map(({ pluginId, order }) => [pluginId, order]),
          ]),
          part.plan.plugins,
        ],
  ])
  const changed = effects.map((effect) => canonicalText(effect)).toSorted()
  return digestOf(key, canonicalText([changed, limits]))
}

const digestOf = (key: string, text: string): string =>
  createHmac('sha256', Buffer.from(key, 'base64url')).update(text).digest('base64url')

/**
 * For each target that is configured or upgraded a keyed digest of the values that the request changes there, before and after, and of
 * whether it returns to an older version; empty if it does neither. It tells, where nobody approves the effect, whether others have saved
 * there since.
 */
export function givenTo(
  key: string,
  targets: readonly {
    target: string
    part: TokenPart | null
    input: Pick<BatchInputParts, 'properties'>
  }[],
): Record<string, string> {
  return Object.fromEntries(
    targets.flatMap(({ target, part, input }) => {
      // nothing is planned for a target that has the values of the request
      if (part === null) return [[target, '']]
      const { operationType: type, version, targetVersion, plan } = part
      if (plan === null || (type !== 'CONFIGURE' && type !== 'UPGRADE')) return []
      const text = changesText(type, input, plan)
      if (isDowngrade(version, targetVersion))
        return [[target, `${DOWNGRADE}${digestOf(key, `from ${version}\n${text}`)}`]]
      return [[target, text === '' ? '' : digestOf(key, text)]]
    }),
  )
}

const DOWNGRADE = 'downgrade '

/**
 * What counts as seen of a target for which it could not be planned: all that it does now, but no downgrade, which nobody meant.
 */
export const unplannedBefore = (given: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(given).filter(([, digest]) => !digest.startsWith(DOWNGRADE)))

/** The same for display, without what people may not see. */
export function shownEffect(parts: readonly Part[]): ShownEffect {
  const planned = parts.flatMap(({ part, ledger }) => (part?.plan ? [{ part, plan: part.plan, ledger }] : []))
  return {
    changes: planned.flatMap(({ plan, ledger }) => changeViews(plan, ledger)).slice(0, SHOWN_MAX),
    calls: planned.flatMap(({ part, plan }) =>
      plannedStages(plan, part.operationType).flatMap(({ stage, calls }) =>
        calls.map(({ pluginId, order }) => ({ stage, pluginId, order })),
      ),
    ),
    resources: planned.flatMap(({ plan }) =>
      plan.resources.map(({ locator, action }) => ({ locator, action })),
    ),
  }
}

const SHOWN_MAX = 2_000

/** What is different between an approved effect and the present one. */
export function differenceOf(seen: ShownEffect, now: ShownEffect) {
  const keyOf = ({ locator, property }: PropertyChange) => JSON.stringify([locator, property])
  const sidesOf = (change: PropertyChange | undefined) =>
    change === undefined ? null : { before: change.before, after: change.after }
  const [before, after] = [seen, now].map(({ changes }) => new Map(changes.map((one) => [keyOf(one), one])))
  const differs = (one: unknown, other: unknown) =>
    canonicalText(one ?? null) !== canonicalText(other ?? null)
  const values = [...new Set([...before!.keys(), ...after!.keys()])].flatMap((key) => {
    const [one, other] = [before!.get(key), after!.get(key)]
    const named = one ?? other
    if (named === undefined || !differs(sidesOf(one), sidesOf(other))) return []
    return [{ locator: named.locator, property: named.property, seen: sidesOf(one), now: sidesOf(other) }]
  })
  return {
    values: values.slice(0, 200),
    calls: differs(seen.calls, now.calls) ? { seen: seen.calls, now: now.calls } : null,
    resources: differs(seen.resources, now.resources) ? { seen: seen.resources, now: now.resources } : null,
    limits:
      seen.limits !== undefined && now.limits !== undefined && differs(seen.limits, now.limits)
        ? { seen: seen.limits, now: now.limits }
        : null,
  }
}

/** The values of a request, each as it is shown. */
export function shownChanges(
  changes: Changes,
  show: (locator: string, property: string, value: Changes[string][string]) => PropertyView | null,
): Record<string, Record<string, PropertyView | null>> {
  return Object.fromEntries(
    Object.entries(changes).map(([locator, properties]) => [
      locator,
      Object.fromEntries(
        Object.entries(properties).map(([property, value]) => [property, show(locator, property, value)]),
      ),
    ]),
  )
}

/** The input without the definitions of its properties: every value is hidden. */
export function shownWithoutPlan(change: ChangeInput): ShownInput {
  const hide = (changes: Changes | undefined) =>
    changes && shownChanges(changes, (_locator, _property, value) => propertyView(undefined, value))
  switch (change.kind) {
    case 'CONFIGURE':
      return { changes: hide(change.input.changes) }
    case 'INSTALL':
    case 'UPGRADE': {
      const { targetVersion, properties } = change.input
      return {
        targetVersion,
        ...('bundle' in change.input && { bundle: change.input.bundle }),
        ...('copyFrom' in change.input && { copyFrom: change.input.copyFrom }),
        ...(properties !== undefined && { properties: hide(properties) }),
      }
    }
    case 'TAKEOVER':
      return { operationId: change.input.operationId, run: change.input.run }
    case 'DETACH':
      return {}
    case 'BATCH':
      return {
        action: change.input.action,
        targets: change.input.targets,
        ...limitsOf(change.input),
      }
  }
}
