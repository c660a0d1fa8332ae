import { useMemo, useState } from 'react'
import type { Batch } from '#contract/console-api/shapes.ts'
import { fieldId } from '../../../forms/property/property-place.ts'
import type { Again } from '../again.ts'
import { bundlesOf, type BatchTarget, type BundleTargets } from '../bundle-targets.ts'
import { EACH_MAX, formOfEach, type BatchProperty } from '../each-target.ts'
import type { InstalledBundle } from '../install-input.ts'
import { useChosenProperties } from './use-chosen-properties.ts'
import { currentValue, useCurrentValues, type AskedProperty } from './use-current-values.ts'
import { useNeededValues } from './use-needed-values.ts'
import { useTargetVersion } from './use-target-version.ts'

const NOTHING_ASKED: readonly AskedProperty[] = []
const NO_TARGETS: readonly BatchTarget[] = []
const NO_BUNDLES: readonly BundleTargets[] = []

/**
 * What a batch does: to which targets, to which version, and the properties that it sets, in one field for all targets or in one for
 * each.
 *
 * @param all the targets at the time of opening
 */
export function useBatchContent(
  action: Batch['action'],
  all: readonly BatchTarget[],
  {
    given,
    install,
    again,
  }: {
    given: BatchProperty | undefined
    install: InstalledBundle | undefined
    again: Again | undefined
  },
) {
  const isUpgrade = action === 'UPGRADE'
  const isInstall = action === 'INSTALL'
  const [selected, select] = useState(all)
  const bundles = useMemo(() => bundlesOf(selected), [selected])
  const [bundleKey, chooseBundle] = useState(() => bundles[0]?.key ?? '')
  const installed = useMemo(
    () => install && { key: 'install', ...install.bundle, targets: [...selected] },
    [install, selected],
  )
  // the others have other versions
  const bundle = installed ?? (isUpgrade ? bundles.find(({ key }) => key === bundleKey) : undefined)
  const targets = isUpgrade ? (bundle?.targets ?? NO_TARGETS) : selected

  const version = useTargetVersion(bundle, install?.version ?? again?.targetVersion)
  const needed = useNeededValues(
    isInstall ? action : 'UPGRADE',
    bundle,
    version.chosen,
    again?.properties.flatMap((one) => (one.isEach || one.fills ? [] : [fieldId(one.locator, one.property)])),
  )
  const inVersion = useMemo(
    () => (installed === undefined ? NO_BUNDLES : targetsIn(installed, version.chosen)),
    [installed, version.chosen],
  )
  const properties = useChosenProperties(action === 'CONFIGURE' ? bundles : inVersion, {
    given,
    again: isUpgrade ? [] : (again?.properties ?? []),
    required: isInstall ? needed.needs : undefined,
  })

  const [isEachWanted, setEach] = useState(again?.properties.some(({ isEach: each }) => each) === true)
  const canBeEach = isUpgrade && needed.resources.length > 0 && targets.length <= EACH_MAX
  const isEach = isEachWanted && canBeEach
  const { isMissing, resources: neededResources } = needed
  const asked = useMemo(
    () =>
      isEach
        ? neededResources.flatMap(({ fields }) =>
            fields.map(({ id, locator, property }) => ({
              locator,
              property,
              targets: targets.map((one) => one.id).filter((target) => !isMissing(target, id)),
            })),
          )
        : NOTHING_ASKED,
    [isEach, targets, neededResources, isMissing],
  )
  const current = useCurrentValues(asked)
  const upgraded = useMemo(
    () =>
      isEach
        ? formOfEach(neededResources, targets, isMissing, (target, field) =>
            currentValue(current, target, field),
          )
        : neededResources,
    [isEach, targets, neededResources, isMissing, current],
  )
  return {
    selected,
    select,
    bundles,
    bundleKey,
    chooseBundle,
    installed,
    bundle,
    targets,
    version,
    needed,
    properties,
    /** Whether the person chooses the properties. */
    hasChoice: action === 'CONFIGURE' || inVersion.length > 0,
    canBeEach,
    isEach,
    setEach,
    /** The fields of the form. */
    resources: isUpgrade ? upgraded : properties.resources,
  }
}

/** The targets of an INSTALL as if they had its version, whose properties are to be chosen; none without targets. */
const targetsIn = (installed: BundleTargets, version: string | undefined): readonly BundleTargets[] =>
  version === undefined || installed.targets.length === 0
    ? NO_BUNDLES
    : [{ ...installed, targets: installed.targets.map((target) => ({ ...target, version })) }]
