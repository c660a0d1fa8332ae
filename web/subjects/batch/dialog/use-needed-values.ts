import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Changes } from '#contract/console-api/shapes.ts'
import { manifestQuery } from '../../manifest/manifest-query.ts'
import type { FieldId } from '../../../forms/property/field-id.ts'
import { installForm, type FormResource } from '../../operation-form/property-form.ts'
import { batchPlanQuery } from './batch-plan-query.ts'
import type { BundleTargets } from '../bundle-targets.ts'
import { neededFields, needsIn, upgradeInput, type Need } from './needed-values.ts'

const NOTHING: readonly FormResource[] = []
const NO_NEEDS: ReadonlyMap<FieldId, Need> = new Map()

export interface NeededValues {
  /** The fields that some target needs a value for. */
  resources: readonly FormResource[]
  needs: ReadonlyMap<FieldId, Need>
  /** The properties that are also set in targets that have a value. */
  replaced: ReadonlySet<FieldId>
  replace: (id: FieldId, isReplaced: boolean) => void
  inputOf: (changes: Changes) => ReturnType<typeof upgradeInput>
}

/** The values that the target version needs, as the plan of each target says. */
export function useNeededValues(
  bundle: BundleTargets | undefined,
  version: string | undefined,
): NeededValues {
  const [replaced, setReplaced] = useState<ReadonlySet<FieldId>>(new Set())
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
    ...batchPlanQuery(
      isWanted
        ? {
            action: 'UPGRADE',
            targets: bundle.targets.map(({ id }) => id),
            input: { targetVersion: version },
          }
        : null,
    ),
    placeholderData: keepPreviousData,
  })
  const needs = useMemo(() => (bare.data ? needsIn(bare.data) : NO_NEEDS), [bare.data])
  const resources = useMemo(
    () => (manifest.data ? neededFields(installForm(manifest.data, null), needs) : NOTHING),
    [manifest.data, needs],
  )
  return {
    resources,
    needs,
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
