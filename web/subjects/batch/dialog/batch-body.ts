import type { Batch } from '#contract/console-api/shapes.ts'
import type { editsIn } from '../../../forms/property/property-edit.ts'
import { changesOf } from '../../operation-form/property-form.ts'
import type { BatchTarget, BundleTargets } from '../bundle-targets.ts'
import { valuesOfEach } from '../each-target.ts'
import { installValues } from '../install-input.ts'
import { changesByTarget, configureInput } from '../property-choices.ts'
import type { BatchBody } from './refused-targets.ts'
import type { useChosenProperties } from './use-chosen-properties.ts'
import type { useNeededValues } from './use-needed-values.ts'

/** What a batch would do to what, as it was entered. */
interface Entered {
  action: Batch['action']
  targets: readonly BatchTarget[]
  /** Of an INSTALL. */
  installed: BundleTargets | undefined
  /** Of an INSTALL or an UPGRADE. */
  version: string | undefined
  chosen: ReturnType<typeof useChosenProperties>['chosen']
  needed: ReturnType<typeof useNeededValues>
  /** Whether an UPGRADE sets a value for each target. */
  isEach: boolean
}

/** The request for the plan of what was entered; null if that is not complete. */
export function batchBodyOf(
  entered: Entered,
  edits: ReturnType<typeof editsIn>,
  { waves, isOverridden }: { waves: BatchBody['waves']; isOverridden: boolean },
): BatchBody | null {
  const body = bareBodyOf(entered, edits)
  return body && { ...body, ...(waves && { waves }), ...(isOverridden && { override: true as const }) }
}

function bareBodyOf(
  { action, targets, installed, version, chosen, needed, isEach }: Entered,
  edits: ReturnType<typeof editsIn>,
): BatchBody | null {
  const ids = targets.map(({ id }) => id)
  switch (action) {
    case 'RETRY':
    case 'DETACH':
    case 'TAKEOVER':
      return { action, targets: ids }
    case 'INSTALL': {
      if (installed === undefined || version === undefined || ids.length === 0) return null
      const { environmentKey, bundleId } = installed
      const input = installValues(targets, chosen, edits)
      return {
        action,
        targets: ids,
        input: { bundle: { environmentKey, bundleId }, targetVersion: version, ...input },
      }
    }
    case 'UPGRADE': {
      if (version === undefined) return null
      const input = isEach
        ? { values: valuesOfEach(needed.resources, targets, edits) }
        : needed.inputOf(changesOf(needed.resources, edits))
      return { action, targets: ids, input: { targetVersion: version, ...input } }
    }
    case 'CONFIGURE': {
      const configured = configureInput(targets, changesByTarget(chosen, edits))
      return configured && { action, ...configured }
    }
  }
}
