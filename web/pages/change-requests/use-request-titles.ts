import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { configurationCall } from '#contract/console-api/pages/configuration.ts'
import type { ChangePlan, ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { apiQuery } from '../../api/query.ts'
import { propertyTitle } from '../../forms/property/property-labels.ts'
import { useTitlesIn, type Titles } from '../../subjects/manifest/use-titles.ts'

type Version = { environmentKey: string; bundleId: string; version: string }
type Place = { locator: string; property?: string | undefined }

/**
 * The titles of everything that the page of a request names: of a CONFIGURE as its scope has them, of every other kind as the
 * version does that it leads to. What these lack has its title in the present version, which a plan knows, or in those of the operations
 * that the request started.
 */
export function useRequestTitles(request: ChangeRequestDetail, plan: ChangePlan | undefined): Titles {
  const { kind, scope } = request
  const ofScope = useScopeTitles(kind === 'CONFIGURE' ? scope : null)
  const started = useStartedVersions(request)
  const named = placesNamed(request, plan)
  const isLacking = named.some(({ locator, property }) => ofScope.titleOf(locator, property) === undefined)
  const known = kind === 'CONFIGURE' ? [] : versionsNamed(named, request, plan)
  const ofVersions = useTitlesIn(isLacking ? distinct([...started, ...known]) : [])
  return useMemo(
    () => ({
      titleOf: (...of) => ofScope.titleOf(...of) ?? ofVersions.titleOf(...of),
      definitionOf: (...of) => ofScope.definitionOf(...of) ?? ofVersions.definitionOf(...of),
    }),
    [ofScope, ofVersions],
  )
}

/** The resources and properties that the page names. */
function placesNamed(
  { input, approvedBy, history }: ChangeRequestDetail,
  plan: ChangePlan | undefined,
): Place[] {
  return [
    ...Object.entries(input.changes ?? input.properties ?? {}).flatMap(([locator, properties]) =>
      Object.keys(properties).map((property) => ({ locator, property })),
    ),
    ...approvedBy.flatMap(({ difference }) => difference?.values ?? []),
    ...history.flatMap(({ target }) => target ?? []),
    ...(plan?.batch?.items ?? []).flatMap(({ values, problems }) =>
      [...values, ...problems].flatMap(({ locator, property }) =>
        locator === undefined || locator === null ? [] : { locator, property },
      ),
    ),
  ]
}

/** Each version of a bundle of which the page names a resource; the one that the request leads to is the last. */
function versionsNamed(
  named: readonly Place[],
  { input }: ChangeRequestDetail,
  { operation, batch }: Partial<ChangePlan> = {},
): Version[] {
  const items = batch?.items ?? []
  return [...new Set(named.map(({ locator }) => locator))].flatMap((locator) => {
    const bundle = parseLocator(locator)
    if (bundle === null) return []
    const { environmentKey, bundleId } = bundle
    const present = items.flatMap((item) =>
      item.bundle.environmentKey === environmentKey && item.bundle.bundleId === bundleId
        ? (item.currentVersion ?? [])
        : [],
    )
    const next = input.targetVersion ?? input.batch?.targetVersion ?? operation?.targetVersion
    return [...present, operation?.currentVersion, next].flatMap((version) =>
      version === undefined || version === null ? [] : { environmentKey, bundleId, version },
    )
  })
}

/** Each once. */
const distinct = (versions: readonly Version[]): Version[] => [
  ...new Map(versions.map((one) => [`${one.environmentKey} ${one.bundleId} ${one.version}`, one])).values(),
]

/** The versions before and after the operations that a request has started. */
const useStartedVersions = ({ operations }: ChangeRequestDetail): Version[] =>
  useQueries({
    queries: operations.map((operationId) =>
      apiQuery('GET /operations/{operationId}', { params: { operationId } }),
    ),
    combine: (queries) =>
      queries.flatMap(({ data }) =>
        data === undefined
          ? []
          : [data.currentVersion, data.targetVersion].flatMap((version) =>
              version === null ? [] : { ...data.installation.bundle, version },
            ),
      ),
  })

const NO_SCOPE: Scope = { environmentKey: '', applicationRuntimeId: '', workspaceId: 0 }

/** The titles of what a scope has; none without a scope. */
function useScopeTitles(scope: Scope | null): Titles {
  const { data } = useQuery({
    ...apiQuery(
      'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
      configurationCall(scope ?? NO_SCOPE),
    ),
    enabled: scope !== null,
  })
  return useMemo(() => {
    const definitionOf: Titles['definitionOf'] = (locator, property) =>
      data?.resources[locator ?? '']?.definitions[property]
    return {
      definitionOf,
      titleOf: (locator, property) => {
        if (property === undefined) return data?.resources[locator ?? '']?.title
        const definition = definitionOf(locator, property)
        return definition && propertyTitle(definition, property)
      },
    }
  }, [data])
}
