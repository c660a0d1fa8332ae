import { useQueries } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { manifestQuery } from '../../manifest/manifest-query.ts'
import { installForm, type FormResource } from '../../operation-form/property-form.ts'
import type { Manifest } from '../../manifest/writers.ts'
import type { BundleTargets } from '../bundle-targets.ts'
import { EACH_MAX, formOfEach, isOf, type BatchProperty } from '../each-target.ts'
import { byVersion, propertyChoices, type ChosenProperty, type PropertyChoice } from '../property-choices.ts'

/** One property of the batch, or the place to choose it. */
export interface ChosenBlock {
  id: number
  chosen: ChosenProperty | null
  /** Whether its targets are few enough for a value for each. */
  canBeEach: boolean
  /** Its fields. */
  resources: readonly FormResource[]
}

export interface ChosenProperties {
  blocks: readonly ChosenBlock[]
  /** The properties that the targets have; empty while it is loading. */
  choices: readonly PropertyChoice[]
  /** The fields of all blocks. */
  resources: readonly FormResource[]
  chosen: readonly ChosenProperty[]
  definitionOf: (locator: string | undefined, property: string) => PropertyDefinition | undefined
  /** No target has a version, so nothing is known of their properties. */
  isUnknown: boolean
  choose: (block: number, key: string) => void
  setEach: (block: number, isEach: boolean) => void
  add: () => void
  remove: (block: number) => void
}

interface Block {
  id: number
  /** Null until the person chooses; the one that the dialog was opened for then stands. */
  key: string | null
  isEach: boolean
}

/** A form for each version: undefined while it is loading, null if it cannot be loaded. Stable, as is its argument. */
const formsIn = (results: readonly { data: Manifest | undefined; isError: boolean }[]) =>
  results.map(({ data, isError }): readonly FormResource[] | null | undefined =>
    data === undefined ? (isError ? null : undefined) : installForm(data, null),
  )

const nothingIsMissing = () => false

/**
 * The properties to set, of all versions and bundles of the targets.
 *
 * @param given Chosen until the person chooses another one.
 */
export function useChosenProperties(
  bundles: readonly BundleTargets[],
  given: BatchProperty | undefined,
): ChosenProperties {
  const [blocks, setBlocks] = useState<readonly Block[]>([
    { id: 0, key: null, isEach: given?.edits !== undefined },
  ])
  const versions = useMemo(
    () =>
      bundles.flatMap((bundle) =>
        byVersion(bundle.targets).flatMap(([version]) => (version === null ? [] : [{ bundle, version }])),
      ),
    [bundles],
  )
  const forms = useQueries({
    queries: versions.map(({ bundle: { environmentKey, bundleId }, version }) =>
      manifestQuery({ environmentKey, bundleId, version }),
    ),
    combine: formsIn,
  })
  const choices = useMemo(() => {
    // with some of them, a target would be left out that has the property
    if (forms.includes(undefined)) return []
    return propertyChoices(
      bundles,
      (bundle, version) =>
        forms[versions.findIndex((one) => one.bundle === bundle && one.version === version)] ?? null,
    )
  }, [bundles, versions, forms])
  const shown = useMemo(() => {
    const targets = bundles.flatMap((bundle) => bundle.targets)
    return blocks.map(({ id, key, isEach: isEachWanted }): ChosenBlock => {
      const choice = choices.find(({ key: own, field }) =>
        key === null ? id === 0 && isOf(given, field) : own === key,
      )
      if (choice === undefined) return { id, chosen: null, canBeEach: false, resources: [] }
      const { resource, field, places } = choice
      const canBeEach = places.size > 1 && places.size <= EACH_MAX
      const isEach = isEachWanted && places.size <= EACH_MAX
      // with several bundles, it has several locators
      const locator = new Set(places.values()).size === 1 ? resource.locator : ''
      const one = { ...resource, locator, fields: [field] }
      const its = targets.filter((target) => places.has(target.id))
      const resources = isEach ? formOfEach([one], its, given, nothingIsMissing) : [one]
      return { id, chosen: { choice, isEach }, canBeEach, resources }
    })
  }, [blocks, bundles, choices, given])
  const change = (id: number, next: Partial<Block>) =>
    setBlocks((before) => before.map((block) => (block.id === id ? { ...block, ...next } : block)))
  return {
    blocks: shown,
    choices,
    resources: useMemo(() => shown.flatMap(({ resources }) => resources), [shown]),
    chosen: useMemo(() => shown.flatMap(({ chosen }) => chosen ?? []), [shown]),
    definitionOf: (locator = '', property) =>
      choices.find(
        (choice) => choice.field.property === property && [...choice.places.values()].includes(locator),
      )?.field.definition,
    isUnknown: bundles.length > 0 && versions.length === 0,
    choose: (id, key) => change(id, { key }),
    setEach: (id, isEach) => change(id, { isEach }),
    add: () =>
      setBlocks((before) => [...before, { id: (before.at(-1)?.id ?? 0) + 1, key: '', isEach: false }]),
    remove: (id) => setBlocks((before) => before.filter((block) => block.id !== id)),
  }
}
