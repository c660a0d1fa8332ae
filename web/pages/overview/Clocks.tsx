import { useQuery } from '@tanstack/react-query'
import { summaryCall } from '#contract/console-api/pages/overview.ts'
import { apiQuery } from '../../api/query.ts'
import { formatDuration } from '../../i18n/format.ts'
import { useText } from '../../i18n/use-text.ts'
import { Notice } from '../../ui/Notice.tsx'

/** Says that the clocks of the servers differ, as long as they do. */
export function Clocks() {
  const t = useText()
  const { data } = useQuery(apiQuery('GET /summary', summaryCall))
  const aheadMs = data?.clockAheadMs ?? null
  if (aheadMs === null) return null
  return (
    <Notice tone="warn" live>
      {t('overview.clocks', { time: formatDuration(Math.abs(aheadMs), t) })}
    </Notice>
  )
}
