import type { UseQueryResult } from '@tanstack/react-query'
import type { PluginReportDetail } from '#contract/console-api/shapes.ts'
import { useErrorView } from '../../../i18n/describe-code.ts'
import { useText } from '../../../i18n/use-text.ts'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Mono } from '../../../ui/Id.tsx'
import { ExternalLink } from '../../../ui/Link.tsx'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'

/** The cases of a report that failed or were not tested, while they are open. */
export function ReportFindings({
  count,
  open,
  query,
  onToggle,
}: {
  count: number
  open: boolean
  query: UseQueryResult<PluginReportDetail>
  onToggle: (open: boolean) => void
}) {
  const t = useText()
  const error = useErrorView(query.error)
  return (
    <details
      open={open}
      onToggle={(event) => onToggle(event.currentTarget.open)}
      className="group/findings mt-4 border-t border-line pt-2"
    >
      <summary className="inline-flex min-h-6 items-center gap-1 rounded-sm pr-1 font-medium hover:text-ink">
        <Icon name="chevronRight" size={14} className="group-open/findings:rotate-90" />
        {t('pluginReports.findings', { n: count })}
      </summary>
      {open && (
        <div className="mt-2" aria-busy={query.isPending}>
          {error && (
            <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
          )}
          {query.isPending && (
            <div role="status" aria-label={t('common.loading')}>
              <SkeletonLines />
            </div>
          )}
          {query.data && !error && <Findings report={query.data} />}
        </div>
      )}
    </details>
  )
}

function Findings({ report: { findings, docsUrl } }: { report: PluginReportDetail }) {
  const t = useText()
  const failed = findings.filter(({ status }) => status !== 'NOT_TESTED')
  const untested = findings.filter(({ status }) => status === 'NOT_TESTED')
  return (
    <>
      {failed.length > 0 && (
        <>
          <h3 className="font-medium">{t('pluginReports.failed')}</h3>
          <Cases cases={failed} docsUrl={docsUrl} />
        </>
      )}
      {untested.length > 0 && (
        <>
          <h3 className="mt-4 font-medium first:mt-0">{t('pluginReports.untested')}</h3>
          <Cases cases={untested} docsUrl={docsUrl} />
        </>
      )}
    </>
  )
}

/** Cases with what is wrong and how to fix it, linked to their pages if the report names where these are. */
function Cases({ cases, docsUrl }: { cases: PluginReportDetail['findings']; docsUrl: string | null }) {
  return (
    <ul className="mt-1 divide-y divide-line">
      {cases.map(({ id, title, level, status, problem, fix }) => (
        <li key={id} className="py-2">
          <p className="wrap-anywhere">
            {docsUrl === null ? (
              <Mono>{id}</Mono>
            ) : (
              <ExternalLink href={`${docsUrl.replace(/\/+$/, '')}/cases/${id}.md`}>{id}</ExternalLink>
            )}{' '}
            <span className="text-xs text-faint">{level}</span>
          </p>
          <p className="wrap-anywhere">{title}</p>
          {problem !== null && <p className="text-muted wrap-anywhere">{problem}</p>}
          {status === 'FAILED' && <p className="text-xs text-faint wrap-anywhere">{fix}</p>}
        </li>
      ))}
    </ul>
  )
}
