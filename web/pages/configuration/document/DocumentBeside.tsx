import { useSyncExternalStore } from 'react'
import { pointerTo } from '#contract/json-schema/pointer.ts'
import { useText } from '../../../i18n/use-text.ts'
import { useEditor } from '../editor/editor-context.ts'
import { resourceTitle } from '../labels.ts'
import { DocumentEditor } from './DocumentEditor.tsx'
import type { DocumentState } from './use-document.ts'

/** The JSON of one resource, beside its form. The property that has the focus in the form is marked in it. */
export function DocumentBeside({ document, locator }: { document: DocumentState; locator: string }) {
  const t = useText()
  const { configuration, store } = useEditor()
  const property = useSyncExternalStore(store.subscribe, () => store.activeProperty(locator))
  const label = t('configuration.beside.label', {
    name: resourceTitle(configuration.resources[locator], locator),
  })
  return (
    <aside
      aria-label={label}
      className="sticky top-4 flex h-[calc(100dvh-6rem)] min-w-0 flex-col self-start pb-2"
    >
      <DocumentEditor
        document={document}
        label={label}
        height="fill"
        marked={property === undefined ? undefined : pointerTo(locator) + pointerTo(property)}
      />
    </aside>
  )
}
