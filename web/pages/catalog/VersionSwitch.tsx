import { useNavigate } from '@tanstack/react-router'
import type { BundleVersion } from '#contract/console-api/shapes.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { Select } from '../../ui/Select.tsx'

/** Switches to another version of the same bundle, on the same page. */
export function VersionSwitch({
  params,
  versions,
}: {
  params: { env: string; bundle: string; version: string }
  versions: readonly BundleVersion[]
}) {
  const t = useText()
  const navigate = useNavigate()
  const isKnown = versions.some(({ version }) => version === params.version)
  return (
    <Select
      aria-label={t('catalog.version.versions')}
      className="mono w-36"
      value={params.version}
      options={[
        ...(isKnown ? [] : [{ value: params.version, label: params.version }]),
        ...versions.map(({ version }) => ({ value: version, label: version })),
      ]}
      onChange={(event) => void navigate(paths.bundleVersion({ ...params, version: event.target.value }))}
    />
  )
}
