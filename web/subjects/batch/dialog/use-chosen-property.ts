import { useQueries } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { manifestQuery } from '../../manifest/manifest-query.ts'
import { useText } from '../../../i18n/use-text.ts'
import { installForm, type FormResource, type FormField } from '../../operation-form/property-form.ts'
import type { Manifest } from '../../manifest/writers.ts'
import type { FieldId } from '../../../forms/property/field-id.ts'
import { propertyTitle } from '../../../forms/property/property-labels.ts'
import type { BundleTargets, BatchTarget } from '../bundle-targets.ts'
import { isOf, type BatchProperty } from '../each-target.ts'

/** Stable, so that the forms are computed only when a manifest has loaded. */
const formsIn = (results: readonly { data: Manifest | undefined }[]): (readonly FormResource[] | null)[] =>
  results.map(({ data }) => (data === undefined ? null : installForm(data, null)))

/**
 * The property to set, as a form of one field. The choices are the properties of the versions of all targets.
 *
 * @param given Chosen until the person chooses another one.
 */
export function useChosenProperty(bundle: BundleTargets | undefined, given: BatchProperty | undefined) {
  const t = useText()
  const [chosenId, choose] = useState<FieldId | null>(null)
  const versions = useMemo(() => versionsOf(bundle?.targets ?? []), [bundle])
  const forms = useQueries({
    queries: versions.map(({ version }) =>
      manifestQuery({
        environmentKey: bundle?.environmentKey ?? '',
        bundleId: bundle?.bundleId ?? '',
        version,
      }),
    ),
    combine: formsIn,
  })
  const choices = useMemo(
    () =>
      propertyChoices(
        versions.flatMap(({ targets }, index) => {
          const form = forms[index]
          return form == null ? [] : [{ form, targets }]
        }),
      ),
    [versions, forms],
  )
  const choice = useMemo(
    () =>
      choices.find(({ field }) => field.id === chosenId) ?? choices.find(({ field }) => isOf(given, field)),
    [choices, chosenId, given],
  )
  const resources = useMemo((): FormResource[] => {
    if (choice === undefined) return []
    // the values of the targets differ, so none is shown as the current one
    const field = { ...choice.field, fallback: { from: 'nothing', view: null } as const }
    return [{ ...choice.resource, fields: [field] }]
  }, [choice])
  const of = bundle?.targets.length ?? 0
  return {
    chosen: choice?.field.id ?? '',
    choose,
    resources,
    /** No target has a version, so nothing is known of their properties. */
    isUnknown: bundle !== undefined && versions.length === 0,
    options: choices.map(({ resource, field, targets }) => {
      const label = `${resource.title} · ${propertyTitle(field.definition, field.property)}`
      return {
        value: field.id,
        label: targets === of ? label : t('batches.make.property.some', { property: label, n: targets, of }),
      }
    }),
  }
}

/** A property that some targets have. */
interface PropertyChoice {
  resource: FormResource
  field: FormField
  /** The number of targets whose version has it. */
  targets: number
}

/** The versions of the targets with their number, the one with most targets first. */
function versionsOf(targets: readonly BatchTarget[]): { version: string; targets: number }[] {
  const groups = Map.groupBy(
    targets.filter(({ version }) => version !== null),
    ({ version }) => version ?? '',
  )
  return [...groups]
    .map(([version, of]) => ({ version, targets: of.length }))
    .toSorted((a, b) => b.targets - a.targets)
}

/**
 * The properties of all versions. A property that several versions define is entered as the first of them defines it;
 * the plan says where its value is not valid.
 */
function propertyChoices(
  versions: readonly { form: readonly FormResource[]; targets: number }[],
): PropertyChoice[] {
  const choices = new Map<string, PropertyChoice>()
  for (const { form, targets } of versions) {
    for (const resource of form) {
      for (const field of resource.fields) {
        const known = choices.get(field.id)
        if (known === undefined) choices.set(field.id, { resource, field, targets })
        else known.targets += targets
      }
    }
  }
  return [...choices.values()]
}
