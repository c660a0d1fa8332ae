import type { PluginCall } from '#contract/console-api/shapes.ts'
import { formatDuration } from '../../../../i18n/format.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { DefinitionList } from '../../../../ui/DefinitionList.tsx'
import { partTotalsOf } from '../calls/time-spent.ts'
import { PartSign } from '../timeline/PartStrip.tsx'
import { barsOf, type Bar } from '../calls/timeline.ts'

/** How the time of one attempt was spent, as figures. */
export function AttemptTimes({ call, bar }: { call: PluginCall; bar: Bar }) {
  const t = useText()
  const totals = partTotalsOf(barsOf(bar.stage, call), bar.attempt.attempt)
  const { connectedMs = null, answeredMs = null } = bar.attempt.timing ?? {}
  const firstByteMs = connectedMs === null || answeredMs === null ? null : answeredMs - connectedMs
  const isMeasured = bar.attempt.timing != null
  return (
    <div>
      <h3 className="mb-2 font-semibold">{t('operationTimeline.attempt.title')}</h3>
      <DefinitionList
        layout="columns"
        items={[
          ...totals.map(({ part, ms }) => ({
            label: (
              <span className="inline-flex items-center gap-1.5">
                <PartSign part={part} />
                {t(`operationTimeline.part.${part}`)}
              </span>
            ),
            value: <span className="tabular-nums">{formatDuration(ms, t)}</span>,
          })),
          firstByteMs !== null && {
            label: t('operationTimeline.attempt.began'),
            value: <span className="tabular-nums">{formatDuration(firstByteMs, t)}</span>,
          },
        ]}
      />
      {!isMeasured && (
        <p className="mt-2 text-muted">
          {t(bar.to === null ? 'operationTimeline.attempt.notYet' : 'operationTimeline.attempt.unknown')}
        </p>
      )}
    </div>
  )
}
