import type { Batch, BatchPlan } from '#contract/console-api/shapes.ts'
import type { ApiError, Call } from '../../../api/client.ts'
import type { editsIn } from '../../../forms/property/property-edit.ts'
import { changesOf } from '../../operation-form/property-form.ts'
import type { BatchTarget, BundleTargets } from '../bundle-targets.ts'
import { valuesOfEach } from '../each-target.ts'
import { installValues } from '../install-input.ts'
import { changesByTarget, configureInput } from '../property-choices.ts'
import type { useChosenProperties } from './use-chosen-properties.ts'
import type { useNeededValues } from './use-needed-values.ts'

/** The request for the plan of a batch. */
export type BatchBody = Call<'POST /batches/plan'>['body']

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

/** The targets that have changed since their plan, as the refusal names them by their positions. */
export function movedIn({ problem }: ApiError, sent: readonly string[]): ReadonlySet<string> {
  const positions = (problem.details ?? []).map(({ path = '' }) => /^body\.targets\.(\d+)$/.exec(path)?.[1])
  return new Set(positions.flatMap((at) => (at === undefined ? [] : (sent[Number(at)] ?? []))))
}

/** Without the targets that the plan refuses to this person: with one of them, the whole batch would be refused. */
export function withoutDenied(body: BatchBody, { items }: BatchPlan): BatchBody {
  const denied = new Set(
    items
      .filter(({ problems }) => problems.some(({ errorCode }) => errorCode === 'PERMISSION_DENIED'))
      .map(({ target }) => target),
  )
  const targets = body.targets.filter((target) => !denied.has(target))
  if (body.input === undefined || !('values' in body.input) || body.input.values === undefined)
    return { ...body, targets }
  const own = Object.entries(body.input.values).filter(([target]) => !denied.has(target))
  return { ...body, targets, input: { ...body.input, values: Object.fromEntries(own) } } as BatchBody
}
