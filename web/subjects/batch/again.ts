import type { Batch, BatchItem } from '#contract/console-api/shapes.ts'
import { FormEdit, type PropertyFormValues } from '../../forms/property/property-edit.ts'
import { fieldId, type FieldId, type PropertyPlace } from '../../forms/property/property-place.ts'
import { editTo, isHidden } from '../../forms/property/property-value.ts'
import type { LimitsMade } from './batch-limits.ts'
import type { BatchTarget } from './bundle-targets.ts'
import { eachFieldId, partOf } from './each-target.ts'
import type { InstalledBundle } from './install-input.ts'

/** What a batch was made with, to begin another one with it. */
export interface Again {
  targets: BatchTarget[]
  /** Of an INSTALL. */
  install?: InstalledBundle
  /** Of an INSTALL or an UPGRADE. */
  targetVersion: string | undefined
  reason: string
  /** The properties that it set, once each, also if bundles share one. */
  properties: readonly AgainProperty[]
  /** The values that it set, except hidden ones. */
  edits: PropertyFormValues['edits']
  limits: LimitsMade
  /** Some values are hidden, so they must be entered again. */
  hasHidden: boolean
}

export interface AgainProperty extends PropertyPlace {
  isEach: boolean
  /** Set only where a target had no value. */
  fills: boolean
}

/** The same batch for these of its items, or what a change request asks for. */
export function againOf(
  batch: Pick<Batch, 'action' | 'input' | 'reason'> & { summary?: Batch['summary'] } & LimitsMade,
  items: readonly Pick<BatchItem, 'target' | 'scope' | 'bundle' | 'title' | 'currentVersion' | 'values'>[],
): Again {
  const { input, action, concurrency, stopAfterFailures, waves } = batch
  const targets = items.map((item): BatchTarget => {
    const { target: id, scope, bundle, title, currentVersion } = item
    return {
      id,
      installation: { ...scope, bundle },
      title,
      version: action === 'INSTALL' ? null : currentVersion,
    }
  })
  const edits: Record<FieldId, FormEdit> = {}
  let hasHidden = false
  const properties = [
    ...Map.groupBy(input.properties, ({ locator, property }) => `${partOf(locator)} ${property}`).values(),
  ].flatMap((all): AgainProperty[] => {
    const [first] = all
    if (first === undefined) return []
    const { locator, property } = first
    const isEach = all.some(({ targets: some }) => some !== undefined)
    const set = (id: FieldId, view: Parameters<typeof editTo>[0]) => {
      if (isHidden(view)) hasHidden = true
      else edits[id] = new FormEdit(editTo(view))
    }
    if (!isEach) set(fieldId(locator, property), first.after)
    else
      for (const { target, values } of items) {
        const own = values.find((one) => one.property === property && partOf(one.locator) === partOf(locator))
        if (own !== undefined) set(eachFieldId(target, locator, property), own.after)
      }
    return [{ locator, property, isEach, fills: first.fills === true }]
  })
  const [bundle] = batch.summary?.bundles ?? []
  return {
    targets,
    targetVersion: input.targetVersion ?? undefined,
    reason: batch.reason ?? '',
    limits: { first: batch.first, concurrency, stopAfterFailures, waves },
    properties,
    edits,
    hasHidden,
    ...(input.bundle !== undefined && {
      install: {
        bundle: input.bundle,
        title: bundle?.title ?? items.find(({ title }) => title !== null)?.title ?? input.bundle.bundleId,
        version: input.targetVersion ?? undefined,
      },
    }),
  }
}
