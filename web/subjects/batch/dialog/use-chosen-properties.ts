import { useQueries } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { fieldId, type FieldId, type PropertyPlace } from '../../../forms/property/property-place.ts'
import { manifestQuery } from '../../manifest/manifest-query.ts'
import { installForm, type FormField, type FormResource } from '../../operation-form/property-form.ts'
import type { Manifest } from '../../manifest/writers.ts'
import { currentValue, useCurrentValues } from './use-current-values.ts'
import type { AgainProperty } from '../again.ts'
import type { BundleTargets } from '../bundle-targets.ts'
import { commonValue, EACH_MAX, formOfEach, isOf, type BatchProperty } from '../each-target.ts'
import { byVersion, propertyChoices, type ChosenProperty, type PropertyChoice } from '../property-choices.ts'

/** One property of the batch, or the place to choose it. */
export interface ChosenBlock {
  id: number
  /** The version requires it: it is neither chosen nor removed. */
  isRequired: boolean
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
  /** What it stands for until then. */
  given?: PropertyPlace | undefined
  isEach: boolean
}

/** The choice of a block: the one that the person made, or else what it stands for. */
const choiceOf = ({ key, given }: Block, choices: readonly PropertyChoice[]): PropertyChoice | undefined =>
  choices.find((choice) => (key === null ? isOf(given, choice.field) : choice.key === key))

/** A form for each version: undefined while it is loading, null if it cannot be loaded. Stable, as is its argument. */
const formsIn = (results: readonly { data: Manifest | undefined; isError: boolean }[]) =>
  results.map(({ data, isError }): readonly FormResource[] | null | undefined =>
    data === undefined ? (isError ? null : undefined) : installForm(data, null),
  )

/**
 * The properties to set, of all versions and bundles of the targets.
 *
 * @param given Chosen until the person chooses another one.
 * @param again Those that an earlier batch set, chosen to begin with.
 * @param required Of an INSTALL: the properties that the version requires. They come first, and nothing else need be set.
 */
export function useChosenProperties(
  bundles: readonly BundleTargets[],
  {
    given,
    again = [],
    required,
  }: {
    given?: BatchProperty | undefined
    again?: readonly AgainProperty[]
    required?: ReadonlyMap<FieldId, unknown> | undefined
  },
): ChosenProperties {
  const [blocks, setBlocks] = useState<readonly Block[]>(() => {
    if (again.length > 0) return again.map((one, id) => ({ id, key: null, given: one, isEach: one.isEach }))
    return required === undefined ? [{ id: 0, key: null, given, isEach: given?.edits !== undefined }] : []
  })
  const { known, hasVersion } = useKnownProperties(bundles)
  const [eachOfRequired, setEachOfRequired] = useState<ReadonlySet<string>>(
    () => new Set(again.filter(({ isEach }) => isEach).map((one) => fieldId(one.locator, one.property))),
  )
  const choices = useMemo(
    () => known.filter(({ field }) => required?.has(field.id) !== true),
    [known, required],
  )
  const isInstall = required !== undefined
  const asked = useMemo(
    // what is not installed yet has no values
    () => (isInstall ? [] : placesToRead(blocks, choices, given)),
    [blocks, choices, given, isInstall],
  )
  const current = useCurrentValues(asked)
  const shown = useMemo(() => {
    const targets = bundles.flatMap((bundle) => bundle.targets)
    const fieldsOf = (choice: PropertyChoice, isEach: boolean) =>
      blockFields(choice, { isEach, targets, given, current: isInstall ? null : current })
    return [
      ...known
        .filter((choice) => !choices.includes(choice))
        .map((choice, index) => ({
          id: -1 - index,
          isRequired: true,
          ...fieldsOf(choice, eachOfRequired.has(choice.key)),
        })),
      ...blocks
        // what the version requires has a field already
        .filter((block) => choiceOf(block, choices) !== undefined || choiceOf(block, known) === undefined)
        .map((block) => {
          const choice = choiceOf(block, choices)
          const fields = choice === undefined ? NO_FIELDS : fieldsOf(choice, block.isEach)
          return { id: block.id, isRequired: false, ...fields }
        }),
    ]
  }, [blocks, bundles, known, choices, eachOfRequired, isInstall, given, current])
  const setEach = (id: number, isEach: boolean) => {
    const block = shown.find((one) => one.id === id)
    const key = block?.chosen?.choice.key
    if (block?.isRequired !== true || key === undefined) return change(id, { isEach })
    setEachOfRequired((before) => {
      const after = new Set(before)
      if (isEach) after.add(key)
      else after.delete(key)
      return after
    })
  }
  const change = (id: number, next: Partial<Block>) =>
    setBlocks((before) => before.map((block) => (block.id === id ? { ...block, ...next } : block)))
  return {
    blocks: shown,
    choices,
    resources: useMemo(() => shown.flatMap(({ resources }) => resources), [shown]),
    chosen: useMemo(() => shown.flatMap(({ chosen }) => chosen ?? []), [shown]),
    definitionOf: (locator = '', property) =>
      known.find(
        (choice) => choice.field.property === property && [...choice.places.values()].includes(locator),
      )?.field.definition,
    isUnknown: bundles.length > 0 && !hasVersion,
    choose: (id, key) => change(id, { key }),
    setEach,
    add: () =>
      setBlocks((before) => [...before, { id: (before.at(-1)?.id ?? 0) + 1, key: '', isEach: false }]),
    remove: (id) => setBlocks((before) => before.filter((block) => block.id !== id)),
  }
}

/** The properties that the versions of the targets have; none while they are loading. */
function useKnownProperties(bundles: readonly BundleTargets[]): {
  known: readonly PropertyChoice[]
  hasVersion: boolean
} {
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
  const known = useMemo(() => {
    // with some of them, a target would be left out that has the property
    if (forms.includes(undefined)) return []
    return propertyChoices(
      bundles,
      (bundle, version) =>
        forms[versions.findIndex((one) => one.bundle === bundle && one.version === version)] ?? null,
    )
  }, [bundles, versions, forms])
  return { known, hasVersion: versions.length > 0 }
}

/** Where the blocks need the current values; those that the dialog was opened with are known. */
const placesToRead = (
  blocks: readonly Block[],
  choices: readonly PropertyChoice[],
  given: BatchProperty | undefined,
) =>
  blocks
    .flatMap((block) => choiceOf(block, choices) ?? [])
    .filter(({ field, places }) => !isOf(given, field) && places.size <= EACH_MAX)
    .flatMap(({ field: { property }, places }) =>
      [...Map.groupBy(places, ([, locator]) => locator)].map(([locator, of]) => ({
        locator,
        property,
        targets: of.map(([target]) => target),
      })),
    )

const NO_FIELDS = { chosen: null, canBeEach: false, resources: [] } satisfies Partial<ChosenBlock>

/**
 * The fields of one property: one for all targets, or one for each.
 *
 * @param current Null for what is not installed yet, which has no values.
 */
function blockFields(
  choice: PropertyChoice,
  {
    isEach: isEachWanted,
    targets,
    given,
    current,
  }: {
    isEach: boolean
    targets: BundleTargets['targets']
    given: BatchProperty | undefined
    current: ReturnType<typeof useCurrentValues> | null
  },
): Omit<ChosenBlock, 'id' | 'isRequired'> {
  const { resource, field, places } = choice
  const isEach = isEachWanted && places.size <= EACH_MAX
  // with several bundles, it has several locators
  const locator = new Set(places.values()).size === 1 ? resource.locator : ''
  const its = targets.filter((target) => places.has(target.id))
  const valueOf = (target: string, { property }: FormField) => {
    if (isOf(given, field)) return given?.values.get(target)
    return current === null
      ? undefined
      : currentValue(current, target, { locator: places.get(target) ?? '', property })
  }
  const fallback = () => commonValue(its.map(({ id }) => valueOf(id, field)))
  const one = {
    ...resource,
    locator,
    fields: [current === null ? field : { ...field, fallback: fallback() }],
  }
  return {
    chosen: { choice, isEach },
    canBeEach: places.size > 1 && places.size <= EACH_MAX,
    resources: isEach ? formOfEach([one], its, () => current === null, valueOf) : [one],
  }
}
