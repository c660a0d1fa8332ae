import { useText } from '../../../i18n/use-text.ts'
import { DocumentEditor } from './DocumentEditor.tsx'
import type { DocumentState } from './use-document.ts'

/** The whole configuration as one JSON document. */
export function DocumentTab({ document }: { document: DocumentState }) {
  const t = useText()
  return (
    <div className="space-y-3">
      <p className="max-w-[88ch] text-muted">{t('configuration.document.help')}</p>
      <DocumentEditor document={document} label={t('configuration.document.label')} height="tall" />
    </div>
  )
}
