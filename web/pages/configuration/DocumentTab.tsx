import { Suspense, useLayoutEffect, useRef, useState } from 'react'
import { hideProtectedName } from '#contract/protocol/protected-property.ts'
import { useStore } from '../../base/external-store.ts'
import { lazyWithRetry } from '../../base/load-with-retry.ts'
import type { JsonEditorHandle } from '../../forms/json/JsonEditor.tsx'
import { findJsonPlaces, lineAt } from '../../forms/json/json-syntax.ts'
import { DOCUMENT_LIMITS, jsonProblemText } from '../../forms/json/parse-json.ts'
import { translateError } from '../../forms/property/translate-error.ts'
import { joinList } from '../../i18n/punctuation.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/class-names.ts'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { focusHome } from '../../ui/keep-focus.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useEditor } from './editor/editor-context.ts'
import { resourceTitle } from './draft/labels.ts'
import { readDocument, type DocumentProblem } from './document/document.ts'
import type { DocumentState } from './document/use-document.ts'
import { pointerSegments, pointerTo } from '#contract/json-schema/json.ts'

const JsonEditor = lazyWithRetry(async () => ({
  default: (await import('../../forms/json/JsonEditor.tsx')).JsonEditor,
}))

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
  const focused = useStore(store.subscribe, () =>
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
  const { text, from, reading, broken, edited, onText, reset } = document
  const editor = useRef<JsonEditorHandle>(null)
  const problems = reading?.problems.slice(0, SHOWN) ?? []
  const places = findJsonPlaces(
    text,
    problems.map(({ path }) => path),
  )
  const omitted = reading?.omitted ?? []
  const claimed = edited.filter((locator) => configuration.resources[locator]?.claim)
  const namesOf = (locators: readonly string[]) =>
    joinList(
      t,
      locators.slice(0, SHOWN).map((locator) => resourceTitle(configuration.resources[locator], locator)),
    )
  const again = (
    <Button size="sm" icon="retry" onClick={reset}>
      {t('configuration.document.reset')}
    </Button>
  )
  const lineButton = (line: number) => (
    <button
      type="button"
      onClick={() => editor.current?.goToLine(line)}
      className="min-h-6 rounded-sm font-medium whitespace-nowrap text-accent hover:underline"
    >
      {t('configuration.document.line', { line })}
    </button>
  )
  return (
    <>
      <Suspense
        fallback={<Skeleton className={height === 'tall' ? 'h-[60vh] w-full' : 'min-h-0 w-full flex-1'} />}
      >
        <JsonEditor
          label={t('configuration.document.label')}
          height={height}
          keepsFormat={false}
          limits={DOCUMENT_LIMITS}
          text={text}
          readOnly={!mayWrite || isSaving}
          check={(value) =>
            readDocument(value, from).problems.map((problem) => ({
              path: problem.path,
              keyword: problem.keyword,
              message: describeProblem(problem, t),
            }))
          }
          onText={onText}
          pointed={pointed}
          handle={editor}
        />
      </Suspense>
      {/* below the editor, so that the text does not move while the person types */}
      {broken !== null && (
        <Notice tone="warn" live actions={again}>
          {lineButton(broken.place.line)}
          {t('common.punctuation.colon')}
          {jsonProblemText(broken.problem, t)} {t('configuration.document.broken')}
        </Notice>
      )}
      {problems.length > 0 && (
        <Notice
          tone="error"
          title={t('configuration.document.problems', { n: reading?.problems.length ?? 0 })}
          actions={again}
        >
          <ul className={cx('mt-1 space-y-0.5', height === 'fill' && 'max-h-28 overflow-y-auto')}>
            {problems.map((problem) => (
              // one keyword can have several: each branch of `allOf` has its own
              <li key={JSON.stringify(problem)}>
                {lineButton(lineAt(text, places.get(problem.path)?.from ?? 0))}
                {problem.path !== '' && (
                  <span className="mono ml-1 wrap-anywhere">{readable(problem.path)}</span>
                )}
                {t('common.punctuation.colon')}
                {describeProblem(problem, t)}
              </li>
            ))}
          </ul>
        </Notice>
      )}
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

function describeProblem(problem: DocumentProblem, t: Translate): string {
  switch (problem.kind) {
    case 'value':
      return translateError(problem.problem, t)
    case 'writtenByPlugin':
      return t('configuration.document.problem.writtenByPlugin', { plugin: problem.detail })
    default:
      return t(`configuration.document.problem.${problem.kind}`)
  }
}

const readable = (pointer: string): string => hideProtectedName(pointerSegments(pointer).join('/'))
