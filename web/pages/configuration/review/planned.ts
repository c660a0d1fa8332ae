import { keepPreviousData, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Claim, Configuration, Plan, PlanProblem, PropertyChange } from '#contract/console-api/shapes.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import { bundleIdOf } from '../../../forms/property/property-labels.ts'
import { byPlace } from '../draft/outline.ts'
import { allEdits, applyStep, EMPTY, viewAt, type Draft, draftChanges, countEdits } from '../draft/draft.ts'
import type { Offer } from '../draft/arrival.ts'
import { viewOf } from '../../../forms/property/property-value.ts'
import { messageText } from '../../../i18n/message-text.ts'
import { compareText } from '../../../i18n/compare-text.ts'
import { callApi } from '../../../api/client.ts'
import { invalidateEndpoints } from '../../../api/query.ts'
import { CONFIGURATION, PLAN } from '../draft/endpoints.ts'

/** What a save would do to one installation. */
export interface PlannedGroup {
  bundleInstallId: string
  installation: Plan['installations'][number]['installation']
  claim: Claim | null
  /** The edited resources; none if nothing of it is taken. */
  locators: string[]
  changes: PropertyChange[]
  /** Null until the plan is known. */
  stages: Plan['installations'][number]['stages'] | null
  /** The errors that prevent it; without claims, which the group shows. */
  problems: PlanProblem[]
}

const CLAIM_CODES = new Set(['OPERATION_IN_PROGRESS', 'OPERATION_CLAIM_HELD'])

interface DraftToPlan {
  configuration: Configuration
  draft: Draft
  offers: readonly Offer[]
  /** It goes into a change request, which is applied later: the operation that runs now does not matter. */
  isProposed: boolean
}

/**
 * The plan by installation, with the changes in the order of the page; errors that belong to none are separate. Until
 * the plan is known, the changes are those of the draft, without the calls.
 */
export function changesByInstallation(
  plan: Plan | undefined,
  planned: DraftToPlan,
): { groups: PlannedGroup[]; others: PlanProblem[] } {
  const { groups, others } = planOrDraft(plan, planned)
  return { groups: planned.isProposed ? groups.map((group) => ({ ...group, claim: null })) : groups, others }
}

function planOrDraft(
  plan: Plan | undefined,
  { configuration, draft, offers }: DraftToPlan,
): { groups: PlannedGroup[]; others: PlanProblem[] } {
  if (plan === undefined)
    return { groups: withOffers(unplanned(configuration, draft), offers, configuration), others: [] }
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
    groups: withOffers(groups, offers, configuration),
    others: others.map((problem) =>
      problem.locator === undefined
        ? { ...problem, message: messageText(problem) }
        : { ...problem, message: `${bundleIdOf(problem.locator)}: ${messageText(problem)}` },
    ),
  }
}

/**
 * The groups with the offers that are not part of the plan, in the order of the page, so that a tick moves nothing. An installation
 * without any other change has a group of its own for them, without locators.
 */
function withOffers(
  groups: readonly PlannedGroup[],
  offers: readonly Offer[],
  configuration: Configuration,
): PlannedGroup[] {
  const offered = applyStep(
    EMPTY,
    offers.map(({ locator, property, edit }) => ({
      locator,
      property,
      next: {
        edit,
        base: viewAt(configuration.resources[locator], property),
        version: 0,
        isSensitive: false,
      },
    })),
  )
  const joined = new Map(groups.map((group) => [group.bundleInstallId, group]))
  for (const more of unplanned(configuration, offered)) {
    const group = joined.get(more.bundleInstallId)
    const known = new Set(group?.changes.map(({ locator, property }) => `${locator} ${property}`))
    const changes = more.changes.filter(({ locator, property }) => !known.has(`${locator} ${property}`))
    const own = group ?? { ...more, changes: [], locators: [], stages: [] }
    joined.set(more.bundleInstallId, { ...own, changes: [...own.changes, ...changes] })
  }
  const compare = byPlace(configuration)
  return [...joined.values()]
    .map((group) => ({ ...group, changes: group.changes.toSorted(compare) }))
    .toSorted((a, b) => compareText(a.installation.bundle.bundleId, b.installation.bundle.bundleId))
}

function unplanned({ scope, resources }: Configuration, draft: Draft): PlannedGroup[] {
  const groups = new Map<string, PlannedGroup>()
  for (const { locator, property, base, edit, isSensitive } of allEdits(draft)) {
    const resource = resources[locator]
    if (resource === undefined || edit.kind === 'unfinished') continue
    const { bundleInstallId, claim } = resource
    const bundle = {
      environmentKey: parseLocator(locator)?.environmentKey ?? '',
      bundleId: bundleIdOf(locator),
    }
    const group = groups.get(bundleInstallId) ?? {
      bundleInstallId,
      installation: { ...scope, bundleInstallId, bundle },
      claim,
      stages: null,
      changes: [],
      locators: [],
      problems: [],
    }
    groups.set(bundleInstallId, {
      ...group,
      locators: [...new Set([...group.locators, locator])],
      changes: [...group.changes, { locator, property, before: base, after: viewOf(edit, isSensitive) }],
    })
  }
  return [...groups.values()]
}

/** `restart` gives up a request that hangs and sends a new one. */
export type PlanState = UseQueryResult<Plan> & { restart: () => void }

/** What a save of the draft would do; fetched again whenever the draft, the snapshot or a claim changes. */
export function usePlan({
  configuration,
  draft,
  isReady,
}: {
  configuration: Configuration
  draft: Draft
  isReady: boolean
}): PlanState {
  const client = useQueryClient()
  const { scope, snapshotVersion } = configuration
  const claims = Object.keys(draft)
    .map((locator) => configuration.resources[locator]?.claim)
    .map((claim) => (claim ? `${claim.operationId} ${claim.state}` : '-'))
    .join()
  const call = { params: scope, body: { snapshotVersion, changes: draftChanges(draft) } }
  const plan = useQuery({
    queryKey: [PLAN, call, claims] as const,
    queryFn: ({ signal }) => callApi(PLAN, call, { signal }),
    enabled: isReady && countEdits(draft) > 0,
    // the old plan stays on the screen while it is fetched again; nothing can be saved until then
    ...(countEdits(draft) > 0 && { placeholderData: keepPreviousData }),
    // a plan may contain sensitive values, so it is discarded as soon as it is not shown
    gcTime: 0,
    staleTime: 0,
  })
  const isStale = plan.data?.stale === true
  useEffect(() => {
    if (isStale) void invalidateEndpoints(client, [CONFIGURATION])
  }, [client, isStale])
  return {
    ...plan,
    restart: () => void client.cancelQueries({ queryKey: [PLAN] }).then(() => plan.refetch()),
  }
}
