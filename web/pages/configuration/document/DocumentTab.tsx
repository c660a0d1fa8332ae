import { Suspense } from 'react'
import { hideProtectedName } from '#contract/protocol/protected-name.ts'
import { lazyWithRetry } from '../../../load-with-retry.ts'
import { translateError } from '../../../forms/property/translate-error.ts'
import { joinList } from '../../../i18n/punctuation.ts'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Icon, type IconName } from '../../../ui/icons/Icon.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useEditor } from '../editor/editor-context.ts'
import { resourceTitle } from '../labels.ts'
import { readDocument, type DocumentProblem } from './document.ts'
import type { DocumentState } from './use-document.ts'
import { pointerSegments } from '#contract/json-schema/pointer.ts'

const JsonEditor = lazyWithRetry(async () => ({
  default: (await import('../../../forms/fields/JsonEditor.tsx')).JsonEditor,
}))

const SHOWN = 8

/** The whole configuration as one JSON document. Changes in it become ordinary edits. */
export function DocumentTab({ document }: { document: DocumentState }) {
  const t = useText()
  const { configuration, mayWrite, isSaving } = useEditor()
  const { text, from, reading, isBroken, edited, onText, reset } = document
  const problems = reading?.problems.filter(({ kind }) => kind !== 'value') ?? []
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
  return (
    <div className="space-y-3">
      <p className="max-w-[88ch] text-muted">{t('configuration.document.help')}</p>
      <Suspense fallback={<Skeleton className="h-[60vh] w-full" />}>
        <JsonEditor
          label={t('configuration.document.label')}
          height="tall"
          keepsFormat={false}
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
        />
      </Suspense>
      {/* below the editor, so that the text does not move while the person types */}
      {isBroken && (
        <Notice tone="warn" live actions={again}>
          {t('configuration.document.broken')}
        </Notice>
      )}
      {problems.length > 0 && (
        <Notice
          tone="error"
          title={t('configuration.document.problems', { n: problems.length })}
          actions={again}
        >
          <ul className="mt-1 space-y-0.5">
            {problems.slice(0, SHOWN).map((problem) => (
              <li key={`${problem.path} ${problem.kind}`}>
                <span className="mono wrap-anywhere">{readable(problem.path)}</span>{' '}
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
    </div>
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
