import { Suspense, useRef } from 'react'
import { pointerSegments } from '#contract/json-schema/json.ts'
import { hideProtectedName } from '#contract/protocol/protected-property.ts'
import { LazyJsonEditor } from '../../forms/json/lazy-json-editor.ts'
import type { JsonEditorHandle } from '../../forms/json/JsonEditor.tsx'
import { findJsonPlaces, lineAt } from '../../forms/json/json-syntax.ts'
import { DOCUMENT_LIMITS, jsonProblemText, type JsonError } from '../../forms/json/parse-json.ts'
import { translateError } from '../../forms/property/translate-error.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/class-names.ts'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { readDocument, type DocumentProblem, type DocumentReading, type DocumentValues } from './document.ts'

const SHOWN = 8

/** A document that is shown for editing. */
export interface EditedDocument {
  text: string
  /** What the text is compared with. */
  from: DocumentValues
  reading: DocumentReading | null
  /** Why the text is not valid JSON. */
  broken: JsonError | null
  onText: (text: string) => void
  /** Generates the text again from the values and the edits. */
  reset: () => void
}

/** A text of property values as JSON, with what is wrong with it below, each with its line. */
export function DocumentEditor({
  label,
  document: { text, from, reading, broken, onText, reset },
  height,
  pointed,
  readOnly,
}: {
  label: string
  document: EditedDocument
  height: 'tall' | 'fill'
  /** The JSON pointer of what to mark. */
  pointed?: string | undefined
  readOnly: boolean
}) {
  const t = useText()
  const editor = useRef<JsonEditorHandle>(null)
  const problems = reading?.problems.slice(0, SHOWN) ?? []
  const places = findJsonPlaces(
    text,
    problems.map(({ path }) => path),
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
        <LazyJsonEditor
          label={label}
          height={height}
          keepsFormat={false}
          limits={DOCUMENT_LIMITS}
          text={text}
          readOnly={readOnly}
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
    </>
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
