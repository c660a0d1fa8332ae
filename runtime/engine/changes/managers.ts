import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { AuditChange } from '#contract/runtime-api/audit.ts'
import type { Apply, Manager } from '#contract/runtime-api/managers.ts'
import type { PlannedChange } from '../../model/plan.ts'
import type { Problem } from '../refusals.ts'
import { refKey } from './compare.ts'
import type { PropertyRef } from './compare.ts'

/** Locator → property → its manager. */
export type Managers = ReadonlyMap<string, ReadonlyMap<string, Manager>>

/** The manager of what a save sets. */
export const managerOfSave = (apply: Pick<Apply, 'name'> | undefined): Manager =>
  apply === undefined ? 'person' : `apply:${apply.name}`

/** The changes of an apply to properties that it neither manages nor takes over: PROPERTY_MANAGED. */
export function managerProblems(
  changes: readonly PlannedChange[],
  managers: Managers,
  apply: Apply | undefined,
): Problem[] {
  if (apply === undefined) return []
  const reasons = takeoverReasons(apply)
  return changes.flatMap((change) => {
    const manager = otherManager(change, managers, apply)
    if (manager === undefined || reasons.has(refKey(change))) return []
    return [
      {
        locator: change.locator,
        property: change.property,
        errorCode: 'PROPERTY_MANAGED' as const,
        ...platformMessage('propertyManaged', { manager }),
      },
    ]
  })
}

/** Whether a full configuration removes a property that it lacks: an apply removes only what it manages. */
export function removableBy(
  apply: Apply | undefined,
  managers: Managers,
): (locator: string, property: string) => boolean {
  if (apply === undefined) return () => true
  return (locator, property) => managers.get(locator)?.get(property) === managerOfSave(apply)
}

/**
 * Adds to the audited changes of an apply who manages the property now, and from whom it was taken over and why. Leaves
 * the changes of other saves as they are.
 */
export function auditedApply<Change extends PropertyRef>(
  changes: readonly Change[],
  managers: Managers,
  apply: Apply | undefined,
): (Change & Pick<AuditChange, 'managedBy' | 'takenOver'>)[] {
  if (apply === undefined) return [...changes]
  const reasons = takeoverReasons(apply)
  return changes.map((change) => {
    const from = otherManager(change, managers, apply)
    const reason = reasons.get(refKey(change))
    return {
      ...change,
      managedBy: managerOfSave(apply),
      ...(from !== undefined && reason !== undefined && { takenOver: { from, reason } }),
    }
  })
}

function otherManager(
  { locator, property }: PropertyRef,
  managers: Managers,
  apply: Apply,
): Manager | undefined {
  const manager = managers.get(locator)?.get(property)
  return manager === managerOfSave(apply) ? undefined : manager
}

const takeoverReasons = ({ takeOver }: Apply): Map<string, string> =>
  new Map(takeOver.map((one) => [refKey(one), one.reason]))
