import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { pluginReportCall, pluginReportsCall } from '#contract/console-api/pages/plugins.ts'
import type { Plugin, PluginReport } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../../api/query.ts'
import { useErrorView } from '../../../i18n/describe-code.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DefinitionList } from '../../../ui/DefinitionList.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Id } from '../../../ui/Id.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Time } from '../../../ui/Time.tsx'
import { CheckBadge } from './CheckBadge.tsx'
import { ReportFindings } from './ReportFindings.tsx'
import { UploadReport } from './UploadReport.tsx'

/** The last plugin-check report of each version of a plugin, that of the registered version first. */
export function PluginReports({ plugin, may }: { plugin: Plugin; may: boolean }) {
  const t = useText()
  const [uploading, setUploading] = useState(false)
  const query = useQuery(apiQuery('GET /plugins/{pluginId}/reports', pluginReportsCall(plugin.pluginId)))
  const error = useErrorView(query.error)
  const isCurrent = ({ version }: PluginReport) => version === plugin.version
  const reports = query.data?.items.toSorted((one, two) => Number(isCurrent(two)) - Number(isCurrent(one)))
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <p className="max-w-[72ch] text-muted">{t('pluginReports.about')}</p>
        <Button
          icon="plus"

          disabledReason={!may && t('plugins.reason.permission')}
          onClick={() => setUploading(true)}
        >
          {t('pluginReports.upload')}
        </Button>
      </div>
      {plugin.version === undefined && <Notice className="mb-3">{t('pluginReports.noVersion')}</Notice>}
      {error && <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />}
      {!reports && !error && <Skeleton className="h-48 rounded-lg" />}
      {reports?.length === 0 && (
        <Card>
          <EmptyState
            icon="plugins"
            title={t('pluginReports.none.title')}
            message={t('pluginReports.none.message')}
          />
        </Card>
      )}
      <div className="space-y-4">
        {reports?.map((report) => (
          <Report
            key={report.version}
            pluginId={plugin.pluginId}
            listed={report}
            isCurrent={isCurrent(report)}
          />
        ))}
      </div>
      {uploading && <UploadReport plugin={plugin} onClose={() => setUploading(false)} />}
    </>
  )
}

/** The totals of a report; its findings are loaded when they are opened. */
function Report({
  pluginId,
  listed,
  isCurrent,
}: {
  pluginId: string
  listed: PluginReport
  isCurrent: boolean
}) {
  const t = useText()
  const [open, setOpen] = useState(false)
  const { queryKey, queryFn } = apiQuery(
    'GET /plugins/{pluginId}/reports/{version}',
    pluginReportCall(pluginId, listed.version),
  )
  const query = useQuery({ queryKey: [...queryKey, listed.uploadedAt], queryFn, enabled: open })
  // a report that was uploaded after the list was read brings its own totals
  const report = query.data ?? listed
  const { version, passed, complete, totals } = report
  const count = totals.FAILED + totals.BLOCKED + totals.NOT_TESTED
  return (
    <Card>
      <section aria-label={t('pluginReports.version', { version })}>
        <h2 className="mb-3 flex flex-wrap items-center gap-x-3 font-medium">
          {t('pluginReports.version', { version })}
          <CheckBadge check={passed ? 'PASSED' : 'NOT_PASSED'} />
          {isCurrent && <span className="text-xs font-normal text-muted">{t('pluginReports.current')}</span>}
        </h2>
        {!complete && (
          <Notice tone="warn" className="mb-3">
            {t('pluginReports.incomplete')}
          </Notice>
        )}
        <DefinitionList
          items={[
            {
              label: t('pluginReports.cases'),
              value: t('pluginReports.totals', {
                passed: totals.PASSED,
                failed: totals.FAILED + totals.BLOCKED,
                untested: totals.NOT_TESTED,
              }),
            },
            { label: t('pluginReports.ran'), value: <Time at={report.startedAt} /> },
            {
              label: t('pluginReports.uploaded'),
              value: (
                <>
                  <Time at={report.uploadedAt} /> · {report.uploadedBy.name}
                </>
              ),
            },
            { label: t('pluginReports.checker'), value: report.checkerVersion },
            { label: t('pluginReports.digest'), value: <Id id={report.digest} copy /> },
          ]}
        />
        {count > 0 && <ReportFindings count={count} open={open} query={query} onToggle={setOpen} />}
      </section>
    </Card>
  )
}
