import type { BundleVersion } from '#contract/console-api/shapes.ts'
import { isRecalled, newestVersion } from '#contract/protocol/version-order.ts'
import { parseScope } from '../../../subjects/scopes/scope-text.ts'
import { scopeOption, useScopeSearch } from '../../../subjects/scopes/use-scope-search.ts'
import { useText } from '../../../i18n/use-text.ts'
import type { ScopeKey } from '../../../addresses/paths.ts'
import { Combobox, type ComboboxOption } from '../../../ui/Combobox.tsx'
import { Field } from '../../../ui/Field.tsx'
import { callApi } from '../../../api/client.ts'
import { Select } from '../../../ui/Select.tsx'

/** The scope to install into: a known one, or any other, typed in full. */
export function ScopeChoice({
  scope,
  onChange,
}: {
  scope: ScopeKey | null
  onChange: (scope: ScopeKey | null) => void
}) {
  const t = useText()
  const search = useScopeSearch()
  return (
    <Field
      label={t('installations.install.scope')}
      help={t('installations.install.scope.help')}
      className="max-w-md"
    >
      {(wiring) => (
        <Combobox
          wiring={wiring}
          value={scope && scopeOption(scope)}
          search={search}
          placeholder={t('installations.install.scope.placeholder')}
          onChange={(option) => onChange(option && parseScope(option.value))}
        />
      )}
    </Field>
  )
}

type Bundle = { environmentKey: string; bundleId: string }

/** Selects a bundle of the catalog and one of its versions; the latest by default. */
export function BundleChoice({
  bundle,
  version,
  versions,
  onBundle,
  onVersion,
}: {
  bundle: Bundle | null
  version: string | undefined
  versions: readonly BundleVersion[]
  onBundle: (bundle: Bundle | null) => void
  onVersion: (version: string | undefined) => void
}) {
  const t = useText()
  const newest = newestVersion(versions)?.version
  const offered = versions.filter((item) => !isRecalled(item))
  const isKnown = offered.some((item) => item.version === version)
  return (
    <div className="grid max-w-2xl gap-3 sm:grid-cols-[minmax(0,1fr)_14rem]">
      <Field label={t('installations.install.bundle')}>
        {(wiring) => (
          <Combobox
            wiring={wiring}
            value={bundle && optionOf(bundle, versions[0]?.title)}
            search={searchBundles}
            onChange={(option) => onBundle(bundleOf(option))}
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
              ...offered.map((item) => ({
                value: item.version,
                label:
                  item.version === newest
                    ? t('installations.install.version.latest', { version: item.version })
                    : item.standing === undefined
                      ? item.version
                      : t('catalog.standing.option', { version: item.version }),
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
