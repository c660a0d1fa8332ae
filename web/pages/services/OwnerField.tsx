import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useController, type Control } from 'react-hook-form'
import type { Installation } from '#contract/console-api/shapes.ts'
import { callApi } from '../../api/client.ts'
import { apiQuery } from '../../api/query.ts'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { useFormBusy } from '../../forms/form/Form.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Combobox, type ComboboxOption } from '../../ui/Combobox.tsx'
import { Field } from '../../ui/Field.tsx'
import { shortenId } from '../../ui/Id.tsx'
import { Select } from '../../ui/Select.tsx'
import type { ServiceForm } from './service-form.ts'

/** The Module that owns a service: an installation, then one of its Modules. */
export function OwnerField({ control }: { control: Control<ServiceForm> }) {
  const t = useText()
  const busy = useFormBusy()
  const { field, fieldState } = useController({ control, name: 'owner' })
  const owner = field.value
  const error = fieldState.error?.message
  const [label, setLabel] = useState<string | null>(null)
  const bundleInstallId = owner?.bundleInstallId
  const detail = useQuery({
    ...apiQuery('GET /installations/{bundleInstallId}', {
      params: { bundleInstallId: bundleInstallId ?? '' },
    }),
    enabled: bundleInstallId !== undefined,
  })
  const known = detail.data ? optionOf(detail.data) : null
  const modules = detail.data?.resources.filter(({ locator }) => locator.includes('/MODULE/')) ?? []
  const isMissing =
    owner !== null && owner.locator !== '' && modules.every((one) => one.locator !== owner.locator)
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field
        label={t('services.form.owner.installation')}
        help={t('services.form.owner.help')}
        // without a Module, there is no second field for it
        error={owner === null && error}
        need="optional"
      >
        {(wiring) => (
          <Combobox
            wiring={wiring}
            readOnly={busy}
            placeholder={t('services.form.owner.placeholder')}
            value={
              bundleInstallId === undefined
                ? null
                : (known ?? { value: bundleInstallId, label: label ?? shortenId(bundleInstallId) })
            }
            search={searchInstallations}
            onChange={(option) => {
              setLabel(option?.label ?? null)
              field.onChange(option && { bundleInstallId: option.value, locator: '' })
            }}
          />
        )}
      </Field>
      {owner !== null && (
        <Field label={t('services.form.owner.module')} error={error}>
          {(wiring) => (
            <Select
              {...wiring}
              value={owner.locator}
              disabled={busy}
              placeholder={t('services.form.owner.choose')}
              options={[
                ...(isMissing ? [{ value: owner.locator, label: owner.locator }] : []),
                ...modules.map(({ locator, title }) => ({ value: locator, label: title })),
              ]}
              onChange={(event) => field.onChange({ ...owner, locator: event.target.value })}
            />
          )}
        </Field>
      )}
    </div>
  )
}

async function searchInstallations(text: string, signal: AbortSignal): Promise<ComboboxOption[]> {
  const { items } = await callApi(
    'GET /installations',
    { query: { state: 'ACTIVE', limit: 20, sort: 'bundleId', ...(text !== '' && { q: text }) } },
    { signal },
  )
  return items.map(optionOf)
}

const optionOf = ({ installation, title }: Pick<Installation, 'installation' | 'title'>): ComboboxOption => ({
  value: installation.bundleInstallId,
  label: title ?? installation.bundle.bundleId,
  detail: scopeText(installation),
})
