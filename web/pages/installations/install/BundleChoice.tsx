import { useQuery } from '@tanstack/react-query'
import { callApi } from '../../../api/client.ts'
import { apiQuery } from '../../../api/query.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Combobox, type ComboboxOption } from '../../../ui/Combobox.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Select } from '../../../ui/Select.tsx'

type Bundle = { environmentKey: string; bundleId: string }

/** A bundle of the catalog and one of its versions; the latest is taken at first. */
export function BundleChoice({
  bundle,
  version,
  onBundle,
  onVersion,
}: {
  bundle: Bundle | null
  version: string | undefined
  onBundle: (bundle: Bundle | null, version: string | undefined) => void
  onVersion: (version: string | undefined) => void
}) {
  const t = useText()
  const versions = useQuery({
    ...apiQuery('GET /bundles/{environmentKey}/{bundleId}/versions', {
      params: bundle ?? { environmentKey: '', bundleId: '' },
      query: { limit: 200 },
    }),
    enabled: bundle !== null,
  })
  const items = bundle === null ? [] : (versions.data?.items ?? [])
  const isKnown = items.some((item) => item.version === version)
  return (
    <div className="grid max-w-2xl gap-3 sm:grid-cols-[minmax(0,1fr)_14rem]">
      <Field label={t('installations.install.bundle')}>
        {(wiring) => (
          <Combobox
            wiring={wiring}
            value={bundle && optionOf(bundle, items[0]?.title)}
            search={searchBundles}
            onChange={(option) => {
              const chosen = bundleOf(option)
              onBundle(chosen, undefined)
            }}
          />
        )}
      </Field>
      <Field label={t('installations.install.version')}>
        {(wiring) => (
          <Select
            {...wiring}
            disabled={bundle === null}
            value={version ?? ''}
            placeholder={t('installations.upgrade.choose')}
            options={[
              ...(version !== undefined && !isKnown ? [{ value: version, label: version }] : []),
              ...items.map((item, index) => ({
                value: item.version,
                label:
                  index === 0
                    ? t('installations.install.version.latest', { version: item.version })
                    : item.version,
              })),
            ]}
            onChange={(event) => onVersion(event.target.value || undefined)}
          />
        )}
      </Field>
    </div>
  )
}

async function searchBundles(text: string, signal: AbortSignal): Promise<ComboboxOption[]> {
  const { items } = await callApi(
    'GET /bundles',
    { query: { limit: 20, ...(text !== '' && { q: text }) } },
    { signal },
  )
  return items.map(({ bundle, title }) => optionOf(bundle, title))
}

const optionOf = ({ environmentKey, bundleId }: Bundle, title?: string): ComboboxOption => ({
  value: `${environmentKey}/${bundleId}`,
  label: title ?? bundleId,
  detail: `${environmentKey}/${bundleId}`,
})

function bundleOf(option: ComboboxOption | null): Bundle | null {
  const [environmentKey, bundleId] = option?.value.split('/') ?? []
  return environmentKey === undefined || bundleId === undefined ? null : { environmentKey, bundleId }
}
