import type { Manifest } from '../../subjects/manifest/writers.ts'
import { useText } from '../../i18n/use-text.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { JsonTree } from '../../ui/values/JsonTree.tsx'

export function JsonTab({ manifest }: { manifest: Manifest }) {
  const t = useText()
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">{t('catalog.version.json.about')}</p>
        <CopyButton text={() => JSON.stringify(manifest, null, 2)}>
          {t('catalog.version.json.copy')}
        </CopyButton>
      </div>
      <JsonTree value={manifest} label={t('catalog.version.tab.json')} openDepth={3} />
    </>
  )
}
