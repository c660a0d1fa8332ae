import { setImmediate } from 'node:timers/promises'
import { newCheckBudget, type CheckBudget } from '#contract/json-schema/check-work.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { checkChanges } from '../../engine/changes/check-changes.ts'
import type { KnownTargets } from '../../engine/changes/check-changes.ts'
import type { Problem } from '../../engine/refusals.ts'
import type { PlannedChange } from '../../model/plan.ts'

/** How much work, in the units of a budget, is done before anything else gets its turn: about 50 ms. */
const TURN_WORK = 50_000

/**
 * As `checkChanges`, where the request gives only some of the values. The others were accepted before, in any number of requests: none of
 * them is refused now because of the others, so each has a budget of its own. Of those that are hidden only the type is checked.
 *
 * @param budget of all values that the request gives.
 */
export async function checkWithAccepted(
  changes: readonly PlannedChange[],
  given: Changes,
  known: KnownTargets,
  budget: CheckBudget,
): Promise<Problem[]> {
  const { wasAccepted = () => false } = known
  const problems: Problem[] = []
  let work = 0
  for (const change of changes) {
    const isGiven = getOwn(getOwn(given, change.locator) ?? {}, change.property) !== undefined
    const ofValue = isGiven ? budget : newCheckBudget()
    const before = ofValue.left
    problems.push(
      ...checkChanges([change], { ...known, wasAccepted: (one) => !isGiven || wasAccepted(one) }, ofValue),
    )
    work += before - ofValue.left
    if (work < TURN_WORK) continue
    await setImmediate()
    work = 0
  }
  return problems
}
