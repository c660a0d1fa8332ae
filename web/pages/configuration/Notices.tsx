import { useSyncExternalStore, type ReactNode } from 'react'
import { joinSentences } from '../../i18n/punctuation.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/class-names.ts'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { focusHome } from '../../ui/keep-focus.ts'
import { Notice } from '../../ui/Notice.tsx'
import { Time } from '../../ui/Time.tsx'
import { useNotKept } from './draft/use-draft-store.ts'
import { useEditor } from './editor/editor-context.ts'
import { uncertainTexts } from './editor/use-save.ts'
import { propertyTitle, resourceTitle } from '../../forms/property/property-labels.ts'
import type { Merged } from './draft/merge.ts'
import type { MergeState } from './editor/use-merge.ts'
import type { PropertyPlace } from '../../forms/property/property-place.ts'

/** Someone saved changes to resources that the person is editing: shown at once, long before they save. */
export function MergeNotice({ merge }: { merge: MergeState }) {
  const t = useText()
  const rich = useRichText()
  const { openReview } = useEditor()
  const last = merge.since[0]
  if (merge.behind.length === 0 || merge.isChecking) return null
  const countOf = (kind: Merged['verdict']['kind']) =>
    merge.behind.filter(({ verdict }) => verdict.kind === kind).length
  const count = countOf('conflict')
  const gone = countOf('gone')
  return (
    <DockRow
      icon="warning"
      title={
        last === undefined
          ? t('configuration.merge.title.unknown')
          : rich('configuration.merge.title', {
              person: last.savedBy.name,
              version: String(last.snapshotVersion),
              when: <Time at={last.savedAt} />,
            })
      }
      short={
        count + gone === 0
          ? t('configuration.merge.short.none')
          : t('configuration.merge.short', { n: count + gone })
      }
      action={t(count + gone === 0 ? 'configuration.merge.look' : 'configuration.merge.decide')}
      onAction={openReview}
    >
      {count + gone === 0
        ? t('configuration.merge.noOverlap', { n: merge.behind.length })
        : joinSentences(t, [
            count > 0 && t('configuration.merge.overlap', { n: count }),
            gone > 0 && t('configuration.merge.gone', { n: gone }),
          ])}
    </DockRow>
  )
}

/** A save whose result is not known, while its dialog is closed. */
export function UncertainNotice({ error }: { error: unknown }) {
  const t = useText()
  const { title, message } = uncertainTexts(error, t)
  const { openReview } = useEditor()
  return (
    <DockRow icon="unknown" title={title} action={t('configuration.uncertain.open')} onAction={openReview}>
      {message}
    </DockRow>
  )
}

/** The console does not answer, so nothing can be saved now. */
export function LostNotice() {
  const t = useText()
  const { connection } = useShell()
  if (connection !== 'lost') return null
  return (
    <DockRow icon="offline" title={t('configuration.lost.title')}>
      {t('configuration.lost.message')}
    </DockRow>
  )
}

function DockRow({
  icon,
  title,
  short,
  action,
  onAction,
  children,
}: {
  icon: IconName
  title: ReactNode
  /** What a phone shows, in one line beside the button; the button leads to the rest. */
  short?: string
  action?: string
  onAction?: () => void
  children: ReactNode
}) {
  return (
    <div
      role="status"
      className={cx(
        'flex flex-wrap items-center gap-x-4 gap-y-2 bg-doubt-tint py-2 pr-2 pl-4',
        short !== undefined && 'max-sm:flex-nowrap max-sm:py-1',
      )}
    >
      <div className={cx('flex flex-1 gap-2.5', short === undefined ? 'min-w-64' : 'min-w-0 sm:min-w-64')}>
        <Icon name={icon} className="mt-0.5 text-doubt" />
        {short !== undefined && (
          <span aria-hidden="true" className="truncate font-semibold sm:hidden">
            {short}
          </span>
        )}
        <div className={cx('min-w-0', short !== undefined && 'max-sm:sr-only')}>
          <p className="font-semibold">{title}</p>
          <p>{children}</p>
        </div>
      </div>
      {action !== undefined && onAction !== undefined && <Button onClick={onAction}>{action}</Button>}
    </div>
  )
}

/** The page moved to a new snapshot automatically: one unobtrusive line. */
export function NewsLine() {
  const t = useText()
  const { store } = useEditor()
  const news = useSyncExternalStore(store.subscribe, store.currentNews)
  return (
    <span
      role="status"
      {...focusHome('resource-title', 'content')}
      // empty, it takes back the gap before it, and so wraps into no line of its own
      className="inline-flex min-h-6 items-center gap-1.5 text-xs text-muted empty:-ml-3"
    >
      {news !== null && (
        <>
          <Icon name="info" size={12} className="text-live" />
          {news.alreadySaved > 0
            ? t('configuration.news.alreadySaved', { n: news.alreadySaved, version: String(news.version) })
            : t(news.edits > 0 ? 'configuration.news.moved' : 'configuration.news.shown', {
                version: String(news.version),
                person: news.savedBy,
              })}
          <button
            type="button"
            aria-label={t('common.close')}
            onClick={() => store.setNews(null)}
            className="flex size-6 items-center justify-center rounded-sm hover:bg-selected"
          >
            <Icon name="close" size={12} />
          </button>
        </>
      )}
    </span>
  )
}

/** Sensitive edits that were lost in a reload, by name, so that nobody assumes they are still there. */
export function NotKeptNotice() {
  const t = useText()
  const { store, goTo, resourceAt, definitionAt } = useEditor()
  const places = useNotKept(store)
  if (places.length === 0) return null
  const nameOf = ({ locator, property }: PropertyPlace) => {
    return `${resourceTitle(resourceAt(locator), locator)} · ${propertyTitle(definitionAt(locator, property), property)}`
  }
  return (
    <Notice
      tone="warn"
      icon="key"
      title={t('configuration.notKept.title', { n: places.length })}
      actions={
        <Button size="sm" {...focusHome('resource-title', 'content')} onClick={() => store.dismissNotKept()}>
          {t('configuration.notKept.understood')}
        </Button>
      }
    >
      <p>{t('configuration.notKept.message')}</p>
      <ul className="mt-1 flex flex-wrap gap-x-3">
        {places.map((place) => (
          <li key={`${place.locator} ${place.property}`}>
            <button
              type="button"
              onClick={() => goTo(place.locator, place.property)}
              className="min-h-6 rounded-sm font-medium text-accent hover:underline"
            >
              {nameOf(place)}
            </button>
          </li>
        ))}
      </ul>
    </Notice>
  )
}
