import { keepPreviousData, useQuery, queryOptions } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import type { Changes, BatchPlan } from '#contract/console-api/shapes.ts'
import { manifestQuery } from '../../manifest/manifest-query.ts'
import { type FieldId, fieldId } from '../../../forms/property/property-place.ts'
import { installForm, type FormResource } from '../../operation-form/property-form.ts'
import type { BundleTargets } from '../bundle-targets.ts'
import { callApi, type Call } from '../../../api/client.ts'

const NOTHING: readonly FormResource[] = []
const NO_NEEDS: ReadonlyMap<FieldId, Need> = new Map()

export interface NeededValues {
  /** The fields that some target needs a value for. */
  resources: readonly FormResource[]
  needs: ReadonlyMap<FieldId, Need>
  /** Whether a target has no value. */
  isMissing: (target: string, id: FieldId) => boolean
  /** The properties that are also set in targets that have a value. */
  replaced: ReadonlySet<FieldId>
  replace: (id: FieldId, isReplaced: boolean) => void
  inputOf: (changes: Changes) => ReturnType<typeof upgradeInput>
}

/** The values that the target version needs, as the plan of each target says. */
export function useNeededValues(
  action: 'INSTALL' | 'UPGRADE',
  bundle: BundleTargets | undefined,
  version: string | undefined,
  /** The properties that are set everywhere to begin with. */
  initial: readonly FieldId[] = [],
): NeededValues {
  const [replaced, setReplaced] = useState<ReadonlySet<FieldId>>(() => new Set(initial))
  const isWanted = bundle !== undefined && version !== undefined
  const manifest = useQuery({
    ...manifestQuery({
      environmentKey: bundle?.environmentKey ?? '',
      bundleId: bundle?.bundleId ?? '',
      version: version ?? '',
    }),
    enabled: isWanted,
  })
  // without values: what is needed does not depend on what is typed
  const bare = useQuery({
    ...batchPlanQuery(isWanted && bundle.targets.length > 0 ? bareRequest(action, bundle, version) : null),
    placeholderData: keepPreviousData,
  })
  const needs = useMemo(() => (bare.data ? needsIn(bare.data) : NO_NEEDS), [bare.data])
  const isMissing = useCallback(
    (target: string, id: FieldId) => needs.get(id)?.missing.includes(target) === true,
    [needs],
  )
  const resources = useMemo(
    () => (manifest.data ? neededFields(installForm(manifest.data, null), needs) : NOTHING),
    [manifest.data, needs],
  )
  return {
    resources,
    needs,
    isMissing,
    replaced,
    replace: (id, isReplaced) =>
      setReplaced((before) => {
        const after = new Set(before)
        if (isReplaced) after.add(id)
        else after.delete(id)
        return after
      }),
    inputOf: (changes) => upgradeInput(changes, replaced),
  }
}

function bareRequest(action: 'INSTALL' | 'UPGRADE', bundle: BundleTargets, targetVersion: string) {
  const targets = bundle.targets.map(({ id }) => id)
  const { environmentKey, bundleId } = bundle
  return action === 'UPGRADE'
    ? { action, targets, input: { targetVersion } }
    : { action, targets, input: { bundle: { environmentKey, bundleId }, targetVersion } }
}

/** Which targets need a value of a property. */
interface Need {
  /** Targets without a value. */
  missing: string[]
  /** The number of targets with a value that the new version refuses. */
  refused: number
}

/** The values that the targets need, by property, from the plan of an upgrade that sets no values. */
function needsIn(plan: BatchPlan): ReadonlyMap<FieldId, Need> {
  const needs = new Map<FieldId, Need>()
  for (const { target, problems } of plan.items) {
    for (const { locator, property, errorCode, parameters } of problems) {
      if (locator === undefined || property === undefined || errorCode !== 'PROPERTY_INVALID') continue
      const id = fieldId(locator, property)
      const need = needs.get(id) ?? { missing: [], refused: 0 }
      if (parameters?.['reason'] === 'propertyMissing') need.missing.push(target)
      else need.refused += 1
      needs.set(id, need)
    }
  }
  return needs
}

/** The fields of the new version that some target needs a value for. */
function neededFields(
  form: readonly FormResource[],
  needs: ReadonlyMap<FieldId, Need>,
): readonly FormResource[] {
  return form.flatMap((resource) => {
    const fields = resource.fields
      .filter(({ id }) => needs.has(id))
      .map((field) => ({
        ...field,
        // the values of the targets differ, so none is shown as the current one
        fallback: { from: 'nothing', view: null } as const,
        isNeeded: needs.get(field.id)?.missing.length !== 0,
      }))
    return fields.length === 0 ? [] : [{ ...resource, fields }]
  })
}

/** The values of an upgrade: those to set in every target, and those for targets that have none. */
function upgradeInput(
  changes: Changes,
  replaced: ReadonlySet<FieldId>,
): { properties?: Changes; fill?: Changes } {
  const pick = (isReplaced: boolean): Changes => {
    const picked: Record<string, Changes[string]> = {}
    for (const [locator, values] of Object.entries(changes)) {
      const entries = Object.entries(values).filter(
        ([property]) => replaced.has(fieldId(locator, property)) === isReplaced,
      )
      if (entries.length > 0) picked[locator] = Object.fromEntries(entries)
    }
    return picked
  }
  const [properties, fill] = [pick(true), pick(false)]
  return {
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(Object.keys(fill).length > 0 && { fill }),
  }
}

const PLAN = 'POST /batches/plan'

/** The plan of a batch; disabled while the request is incomplete. */
export const batchPlanQuery = (body: Call<typeof PLAN>['body'] | null) =>
  queryOptions({
    queryKey: [PLAN, body] as const,
    queryFn: ({ signal }) => {
      if (body === null) throw new TypeError('A plan needs a request')
      return callApi(PLAN, { body }, { signal })
    },
    // it may contain values that must not outlive the dialog
    gcTime: 0,
    staleTime: 0,
    enabled: body !== null,
  })
