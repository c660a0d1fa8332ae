import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { FrozenPlan, PlannedChange } from '../../model/plan.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { writersOf } from '../calls/compile-authorization.ts'
import type { PropertyMap } from '../changes/compare.ts'
import type { LedgerRow } from '../../model/ledger.ts'

/**
 * The plan of a CONFIGURE: all resources and plugins of the owner, at its current version. Resources that the changes
 * touch are CONFIGURE, the others NONE.
 */
export function configurePlan({
  ledger,
  current,
  changes,
  plugins,
}: {
  ledger: readonly LedgerRow[]
  current: PropertyMap
  changes: readonly PlannedChange[]
  plugins: CompiledAuthorization[]
}): FrozenPlan {
  const writers = writersOf(plugins)
  const changesOf = Map.groupBy(changes, ({ locator }) => locator)
  return {
    resources: ledger.map((row) => {
      const changed = changesOf.get(row.locator) ?? []
      return {
        locator: row.locator,
        kind: row.kind,
        title: row.title,
        moduleId: row.module_id,
        action: changed.length === 0 ? 'NONE' : 'CONFIGURE',
        currentVersion: row.version,
        targetVersion: row.version,
        properties: applyChanges(currentValues(row, current), changed),
        definitions: row.definitions,
        writtenBy: writers[row.locator] ?? {},
      }
    }),
    plugins,
    changes: [...changes],
  }
}

/** The current values of an installed resource, always with the protected property from the ledger. */
export function currentValues(
  row: Pick<LedgerRow, 'locator' | 'properties'>,
  current: PropertyMap,
): Record<string, TypedValue> {
  const instanceRef = getOwn(row.properties, INSTANCE_REF_PROPERTY)
  return {
    ...Object.fromEntries(current.get(row.locator) ?? []),
    ...(instanceRef !== undefined && { [INSTANCE_REF_PROPERTY]: instanceRef }),
  }
}

function applyChanges(
  values: Readonly<Record<string, TypedValue>>,
  changes: readonly PlannedChange[],
): Record<string, TypedValue> {
  const target = new Map(Object.entries(values))
  for (const { property, after } of changes) {
    if (after === null) target.delete(property)
    else target.set(property, after)
  }
  return Object.fromEntries(target)
}

type AtLocator = { readonly locator: string }

const indexes = new WeakMap<readonly AtLocator[], ReadonlyMap<string, AtLocator>>()

/**
 * The resource of a list that has this locator. The list must not change any more: it is read once, and not again for each
 * value, because a bundle may have thousands of resources, and a request a value for each.
 */
export function resourceAt<Resource extends AtLocator>(
  list: readonly Resource[],
  locator: string,
): Resource | undefined {
  const index = indexes.get(list) ?? new Map(list.map((one) => [one.locator, one]))
  indexes.set(list, index)
  // the index has what the list has
  return index.get(locator) as Resource | undefined
}
