import { useQueries } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { manifestQuery } from '../../manifest/manifest-query.ts'
import { useText } from '../../../i18n/use-text.ts'
import { installForm, type FormResource } from '../../operation-form/property-form.ts'
import type { Manifest } from '../../manifest/writers.ts'
import { propertyTitle } from '../../../forms/property/property-labels.ts'
import type { BundleTargets } from '../bundle-targets.ts'
import { propertyChoices, versionsOf } from './chosen-property.ts'

/** Stable, so that the forms are computed only when a manifest has loaded. */
const formsIn = (results: readonly { data: Manifest | undefined }[]): (readonly FormResource[] | null)[] =>
  results.map(({ data }) => (data === undefined ? null : installForm(data, null)))

/** The property to set, as a form of one field. The choices are the properties of the versions of all targets. */
export function useChosenProperty(bundle: BundleTargets | undefined) {
  const t = useText()
  const [chosen, choose] = useState('')
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
  const resources = useMemo((): FormResource[] => {
    const choice = choices.find(({ field }) => field.id === chosen)
    if (choice === undefined) return []
    // the values of the targets differ, so none is shown as the current one
    const field = { ...choice.field, fallback: { from: 'nothing', view: null } as const }
    return [{ ...choice.resource, fields: [field] }]
  }, [choices, chosen])
  const of = bundle?.targets.length ?? 0
  return {
    chosen,
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
