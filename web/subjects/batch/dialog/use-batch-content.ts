import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Batch, ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { isDowngrade, isRecalled, newestVersion } from '#contract/protocol/version-order.ts'
import { apiQuery } from '../../../api/query.ts'
import { fieldId } from '../../../forms/property/property-place.ts'
import { useText } from '../../../i18n/use-text.ts'
import type { Edits } from '../../operation-form/property-form.ts'
import type { InterruptedBatch } from '../../sign-in/interrupted-action.ts'
import type { Again } from '../again.ts'
import type { Limits } from '../batch-limits.ts'
import { bundlesOf, type BatchTarget, type BundleTargets } from '../bundle-targets.ts'
import { EACH_MAX, formOfEach, type BatchProperty } from '../each-target.ts'
import type { InstalledBundle } from '../install-input.ts'
import { useChosenProperties } from './use-chosen-properties.ts'
import { currentValue, useCurrentValues, type AskedProperty } from './use-current-values.ts'
import type { DefinitionOf } from './BatchPlanView.tsx'
import { useNeededValues } from './use-needed-values.ts'

const NOTHING_ASKED: readonly AskedProperty[] = []
const NO_TARGETS: readonly BatchTarget[] = []
const NO_BUNDLES: readonly BundleTargets[] = []

/** What a batch begins with. */
export interface BatchStart {
  action: Batch['action']
  /** Of an INSTALL, the scopes to begin with. The list behind the dialog may refetch; these stay. */
  targets: readonly BatchTarget[]
  /** The limits to begin with; the person can change them. */
  limits?: Limits
  /** What the person had entered before they signed in again. */
  interrupted?: InterruptedBatch
  /** Of a CONFIGURE: the property that is set, if the person has chosen it already. */
  property?: BatchProperty
  /** Of an INSTALL. */
  install?: InstalledBundle
  /** An earlier batch, to begin with what it was made with. */
  again?: Again
  /** The change request that is edited; the batch begins with what it asks for, as `again`. */
  edited?: ChangeRequestDetail
}

/**
 * What a batch does: to which targets, to which version, and the properties that it sets, in one field for all targets or in one for
 * each.
 */
export function useBatchContent({ action, targets: all, property: given, install, again }: BatchStart) {
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
  const resources = isUpgrade ? upgraded : properties.resources
  const definitionOf: DefinitionOf = (locator, property) =>
    isUpgrade
      ? neededResources
          .find((resource) => resource.locator === locator)
          ?.fields.find((field) => field.property === property)?.definition
      : properties.definitionOf(locator, property)
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
    resources,
    definitionOf,
    isMissingValue: (edits: Edits) =>
      resources.some(({ fields }) => fields.some(({ id, isNeeded }) => isNeeded && !edits.has(id))),
    /** A chosen property without its value for all targets; a required one is named by its field. */
    withoutValue: (edits: Edits) =>
      properties.chosen.find(
        ({ isEach: isForEach, choice: { field } }) =>
          !isForEach && !(isInstall && field.isNeeded) && !edits.has(field.id),
      )?.choice,
  }
}

/** The targets of an INSTALL as if they had its version, whose properties are to be chosen; none without targets. */
const targetsIn = (installed: BundleTargets, version: string | undefined): readonly BundleTargets[] =>
  version === undefined || installed.targets.length === 0
    ? NO_BUNDLES
    : [{ ...installed, targets: installed.targets.map((target) => ({ ...target, version })) }]

/**
 * The version to upgrade to, or to install: the newest one, unless another is chosen. None, if every target has it or a later one:
 * then only older ones and pre-releases are left, and a person chooses.
 *
 * @param initial Chosen to begin with.
 */
function useTargetVersion(bundle: BundleTargets | undefined, initial?: string) {
  const t = useText()
  const [picked, setPicked] = useState(() =>
    bundle === undefined || initial === undefined ? null : { key: bundle.key, version: initial },
  )
  const versions = useQuery({
    ...apiQuery('GET /bundles/{environmentKey}/{bundleId}/versions', {
      params: { environmentKey: bundle?.environmentKey ?? '', bundleId: bundle?.bundleId ?? '' },
      query: { limit: 200 },
    }),
    enabled: bundle !== undefined,
  })
  const options = (versions.data?.items ?? [])
    .filter((one) => !isRecalled(one))
    .map(({ version, standing }) => ({
      value: version,
      label: standing === undefined ? version : t('catalog.standing.option', { version }),
    }))
  const newest = newestVersion(versions.data?.items ?? [])?.version
  const targets = bundle?.targets ?? []
  const isWanted =
    newest !== undefined &&
    (targets.length === 0 ||
      targets.some(({ version }) => version !== newest && !isDowngrade(version, newest)))
  const offered = isWanted ? newest : undefined
  const chosen = picked !== null && picked.key === bundle?.key ? picked.version : offered
  const downgraded = targets.filter(({ version }) => isDowngrade(version, chosen ?? null)).length
  return {
    options,
    chosen: bundle === undefined ? undefined : chosen,
    isDowngrade: downgraded === 0 ? 'none' : downgraded === targets.length ? 'all' : 'some',
    choose: (version: string) => bundle && setPicked({ key: bundle.key, version }),
  }
}
