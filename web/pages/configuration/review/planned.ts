import type { Claim, Configuration, Plan, PlanProblem, PropertyChange } from '#contract/console-api/shapes.ts'
import { bundleIdOf } from '../labels.ts'
import type { Draft } from '../editor/draft.ts'
import { messageText } from '../../../i18n/message-text.ts'

/** What a save would do to one installation. */
export interface PlannedGroup {
  bundleInstallId: string
  installation: Plan['installations'][number]['installation']
  claim: Claim | null
  /** The edited resources. */
  locators: string[]
  changes: PropertyChange[]
  stages: Plan['installations'][number]['stages']
  /** The errors that prevent it; without claims, which the group shows. */
  problems: PlanProblem[]
}

const CLAIM_CODES = new Set(['OPERATION_IN_PROGRESS', 'OPERATION_CLAIM_HELD'])

/** The plan by installation; errors that belong to none are separate. */
export function changesByInstallation(
  plan: Plan | undefined,
  configuration: Configuration,
  draft: Draft,
): { groups: PlannedGroup[]; others: PlanProblem[] } {
  if (plan === undefined) return { groups: [], others: [] }
  const ownerOf = (locator: string | undefined) =>
    locator === undefined ? undefined : configuration.resources[locator]?.bundleInstallId
  const groups = plan.installations.map(({ installation, claim, stages }) => {
    const { bundleInstallId } = installation
    const changes = plan.changes.filter(({ locator }) => ownerOf(locator) === bundleInstallId)
    return {
      bundleInstallId,
      installation,
      claim,
      stages,
      changes,
      locators: Object.keys(draft).filter((locator) => ownerOf(locator) === bundleInstallId),
      problems: plan.problems.filter(
        ({ locator, errorCode }) => ownerOf(locator) === bundleInstallId && !CLAIM_CODES.has(errorCode),
      ),
    }
  })
  const known = new Set(groups.map(({ bundleInstallId }) => bundleInstallId))
  const others = plan.problems.filter(({ locator, errorCode }) => {
    const owner = ownerOf(locator)
    return (owner === undefined || !known.has(owner)) && !CLAIM_CODES.has(errorCode)
  })
  return {
    groups: groups.toSorted((a, b) =>
      a.installation.bundle.bundleId.localeCompare(b.installation.bundle.bundleId),
    ),
    others: others.map((problem) =>
      problem.locator === undefined
        ? { ...problem, message: messageText(problem) }
        : { ...problem, message: `${bundleIdOf(problem.locator)}: ${messageText(problem)}` },
    ),
  }
}
