import type { ReactNode } from 'react'
import { useHasUnknownEntries } from '../api/unknown-entries.ts'
import { useMissedFailures } from '../subjects/alerts/alerts.ts'
import { useText } from '../i18n/use-text.ts'
import { cx } from '../ui/class-names.ts'
import { Icon } from '../ui/Icon.tsx'
import { breakable } from '../ui/Id.tsx'
import { PlainLink, type LinkTarget } from '../ui/Link.tsx'
import { EnvironmentContext, EnvironmentLine, EnvironmentWord } from '../ui/EnvironmentMark.tsx'
import { useShell } from '../subjects/shell/shell-context.ts'
import { Notice } from '../ui/Notice.tsx'
import { RecoveryNotice } from './RecoveryNotice.tsx'

const NO_CRUMBS: readonly Crumb[] = []

export type Crumb = { label: ReactNode; to?: LinkTarget }

/** The frame of every page: breadcrumbs, title, actions, tabs, content. */
export function Page({
  title,
  heading,
  state,
  environment,
  trail = NO_CRUMBS,
  lead,
  meta,
  actions,
  tabs,
  notice,
  children,
  footer,
  width = 'full',
}: {
  /** The title of the document, and the heading unless there is a `heading`. */
  title: string
  heading?: ReactNode
  /** In the heading, after the title: the badges of the state. */
  state?: ReactNode
  /** The key of the environment that everything on the page belongs to. */
  environment?: string | undefined
  /** The pages above this one. */
  trail?: readonly Crumb[]
  /** Below the title: what the page is for, in a sentence or two. */
  lead?: ReactNode
  /** Below the title: scope, ids, times. */
  meta?: ReactNode
  actions?: ReactNode
  /** `<Tabs>` on the line between header and content. */
  tabs?: ReactNode
  /** Notices that concern the whole page. */
  notice?: ReactNode
  children: ReactNode
  /** Stays at the lower edge of the window, however short the page is. */
  footer?: ReactNode
  /** Text and forms are more readable if narrow; tables use the full width. */
  width?: 'full' | 'reading'
}) {
  const t = useText()
  const missed = useMissedFailures()
  const hasUnknown = useHasUnknownEntries()
  const { environmentMarks } = useShell()
  const mark = environmentMarks.find(({ environmentKey }) => environmentKey === environment) ?? null
  return (
    <EnvironmentContext value={mark}>
      <EnvironmentLine />
      <div
        className={cx(
          'mx-auto w-full px-4 pt-5 sm:px-6 lg:px-8',
          footer === undefined ? 'pb-16' : 'flex min-h-[calc(100dvh-3rem)] flex-col lg:min-h-dvh',
          width === 'reading' ? 'max-w-4xl' : 'max-w-[96rem]',
        )}
      >
        <RecoveryNotice />
        {hasUnknown && (
          <Notice tone="warn" live className="mb-4">
            {t('shell.unknownEntries')}
          </Notice>
        )}
        <title>{`${missed === 0 ? '' : `(${missed}) `}${mark === null ? '' : `${mark.word} · `}${title} · ${t('shell.product')}`}</title>
        <header className={tabs ? 'mb-5' : 'mb-4'}>
          {trail.length > 0 && <Trail crumbs={trail} />}
          {/* where the page is wide, the title takes what it needs before the actions wrap; where it is wider, it wraps before them */}
          <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 xl:flex-nowrap">
            <div className="page-title">
              {/* the badges follow the last word of the title, also where it takes several lines */}
              <div className="text-xl tracking-tight wrap-anywhere">
                <h1 className="inline font-semibold">
                  <span className="mr-2">{heading ?? breakable(title)}</span>{' '}
                  {state && (
                    <span className="relative -top-px mr-2 inline-flex max-w-full flex-wrap gap-x-3 gap-y-1 align-middle tracking-normal empty:hidden">
                      {state}
                    </span>
                  )}
                </h1>{' '}
                <EnvironmentWord className="relative -top-px align-middle tracking-normal" />
              </div>
              {lead && <p className="mt-1 max-w-[72ch] text-muted">{lead}</p>}
              {meta && (
                <div className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-muted [&>button]:-ml-2">
                  {meta}
                </div>
              )}
            </div>
            {actions && <div className="page-actions">{actions}</div>}
          </div>
          {tabs && <div className="mt-3">{tabs}</div>}
        </header>
        {/* parts of it may render nothing */}
        {notice && <div className="mb-4 space-y-2 empty:hidden">{notice}</div>}
        {footer === undefined ? (
          children
        ) : (
          <>
            <div className="flex-1 pb-8">{children}</div>
            {footer}
          </>
        )}
      </div>
    </EnvironmentContext>
  )
}

function Trail({ crumbs }: { crumbs: readonly Crumb[] }) {
  const t = useText()
  return (
    <nav aria-label={t('shell.breadcrumbs')} className="mb-1">
      <ol className="flex flex-wrap items-center gap-x-1 text-xs text-faint">
        {Object.entries(crumbs).map(([position, crumb]) => (
          <li key={position} className="flex min-h-6 min-w-0 items-center gap-1">
            {position !== '0' && <Icon name="chevronRight" size={12} className="opacity-60" />}
            {crumb.to ? (
              <PlainLink
                to={crumb.to}
                // a page above this one is not the current one
                activeOptions={{ exact: true }}
                className="target rounded-sm wrap-anywhere hover:text-ink hover:underline"
              >
                {crumb.label}
              </PlainLink>
            ) : (
              <span className="wrap-anywhere">{crumb.label}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
