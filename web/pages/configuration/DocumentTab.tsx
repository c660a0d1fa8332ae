import { useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { pointerTo } from '#contract/json-schema/json.ts'
import { joinList } from '../../i18n/punctuation.ts'
import { useText } from '../../i18n/use-text.ts'
import { DocumentEditor } from '../../subjects/document/DocumentEditor.tsx'
import { Button } from '../../ui/Button.tsx'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { focusHome } from '../../ui/keep-focus.ts'
import { useEditor } from './editor/editor-context.ts'
import { resourceTitle } from '../../forms/property/property-labels.ts'
import type { DocumentState } from './document/use-document.ts'

const SHOWN = 8

/** The whole configuration as one JSON document. Changes in it become ordinary edits. */
export function DocumentTab({ document }: { document: DocumentState }) {
  const t = useText()
  return (
    <div {...focusHome()} className="space-y-3">
      <p className="max-w-[88ch] text-muted">{t('configuration.document.help')}</p>
      <DocumentText document={document} height="tall" pointed={undefined} />
    </div>
  )
}

/** The document beside the form: it marks the property that had the focus last, and never takes the focus. */
export function DocumentPane({
  document,
  locator,
  onClose,
}: {
  document: DocumentState
  /** The resource in the form. */
  locator: string | undefined
  onClose: () => void
}) {
  const t = useText()
  const { store } = useEditor()
  const focused = useSyncExternalStore(store.subscribe, () =>
    locator === undefined ? undefined : store.activeProperty(locator),
  )
  const [last, setLast] = useState({ locator, property: focused })
  const isLast = last.locator === locator && (focused === undefined || last.property === focused)
  if (!isLast) setLast({ locator, property: focused })
  const pointed =
    locator === undefined
      ? undefined
      : last.property === undefined
        ? pointerTo(locator)
        : pointerTo(locator, last.property)
  const pane = useFittingHeight()
  return (
    <section
      ref={pane}
      {...focusHome()}
      aria-labelledby="document-pane"
      className="sticky top-4 flex h-[calc(100dvh-16rem)] min-h-80 min-w-0 flex-col gap-2 self-start"
    >
      <header className="flex min-h-8 items-center justify-between gap-2">
        <h2 id="document-pane" className="text-md font-semibold">
          {t('configuration.tab.document')}
        </h2>
        <Button
          variant="quiet"
          size="sm"
          icon="close"
          label={t('configuration.document.hide')}
          onClick={onClose}
        />
      </header>
      <DocumentText document={document} height="fill" pointed={pointed} />
    </section>
  )
}

/** The height of the dock and the space around it, in pixels. */
const BELOW_PANE = 80

/** Makes an element fill the window below its top edge, at any scroll position. */
function useFittingHeight() {
  const ref = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const fit = () => {
      const pane = ref.current
      if (pane !== null)
        pane.style.height = `${innerHeight - Math.max(pane.getBoundingClientRect().top, 0) - BELOW_PANE}px`
    }
    fit()
    addEventListener('scroll', fit, { passive: true })
    addEventListener('resize', fit)
    return () => {
      removeEventListener('scroll', fit)
      removeEventListener('resize', fit)
    }
  }, [])
  return ref
}

function DocumentText({
  document,
  height,
  pointed,
}: {
  document: DocumentState
  height: 'tall' | 'fill'
  pointed: string | undefined
}) {
  const t = useText()
  const { configuration, mayWrite, isSaving } = useEditor()
  const omitted = document.reading?.omitted ?? []
  const claimed = document.edited.filter((locator) => configuration.resources[locator]?.claim)
  const namesOf = (locators: readonly string[]) =>
    joinList(
      t,
      locators.slice(0, SHOWN).map((locator) => resourceTitle(configuration.resources[locator], locator)),
    )
  return (
    <>
      <DocumentEditor
        label={t('configuration.document.label')}
        document={document}
        height={height}
        pointed={pointed}
        readOnly={!mayWrite || isSaving}
      />
      {claimed.length > 0 && (
        <StatusLine icon="lock">
          {t('configuration.document.claimed', { names: namesOf(claimed) })}
        </StatusLine>
      )}
      {omitted.length > 0 && (
        <StatusLine icon="info">
          {t('configuration.document.omitted', { n: omitted.length, names: namesOf(omitted) })}
        </StatusLine>
      )}
    </>
  )
}

function StatusLine({ icon, children }: { icon: IconName; children: string }) {
  return (
    <p className="flex items-start gap-2 text-muted" role="status">
      <Icon name={icon} size={14} className="mt-0.5" />
      <span>{children}</span>
    </p>
  )
}
