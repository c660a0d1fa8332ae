import { useEffect, useRef } from 'react'
import type { OperationSearch } from '#contract/console-api/pages/operations.ts'
import type { Failure, OperationDetail, PluginCall, WireEvidence } from '#contract/console-api/shapes.ts'
import { LocatorText } from '../../../../ui/Id.tsx'
import { PluginLink } from '../../../../subjects/plugins/PluginLink.tsx'
import { useText, type Translate } from '../../../../i18n/use-text.ts'
import { Badge } from '../../../../ui/Badge.tsx'
import { Card, Section } from '../../../../ui/Card.tsx'
import { DefinitionList } from '../../../../ui/DefinitionList.tsx'
import { ErrorFacts } from '../../../../ui/ErrorState.tsx'
import { Duration, Time } from '../../../../ui/Time.tsx'
import { PropertyValueView } from '../../../../ui/value/ValueView.tsx'
import { failureTitle } from '../../../../subjects/operations/describe-failure.ts'
import { AttemptSteps } from './AttemptSteps.tsx'
import { EvidenceList } from './Evidence.tsx'
import { RefusedHere } from '../failure/RefusedHere.tsx'
import { Payloads } from './Payloads.tsx'
import { attemptCount, type Bar, barsOf } from '../calls/timeline.ts'
import { isSuccess, isUncertain, verdictLook, type Verdict } from '../calls/verdict.ts'
import { messageText } from '../../../../i18n/message-text.ts'
import { formatDuration } from '../../../../i18n/format.ts'
import { partTotalsOf } from '../calls/time-spent.ts'
import { PartSign } from '../timeline/PartStrip.tsx'
import { clockText } from '../failure/failure-texts.ts'

/** The details of one attempt: its result and what that means, the request and the response. */
export function AttemptPanel({
  operation,
  call,
  bar,
  view,
  isWanted,
  onShown,
}: {
  operation: OperationDetail
  call: PluginCall
  bar: Bar
  /** The view of the history, which links keep. */
  view: OperationSearch['view']
  /** The person has asked for it: its title gets the focus, and `onShown` is called. */
  isWanted: boolean
  /** Must be stable. */
  onShown: () => void
}) {
  const t = useText()
  const heading = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (!isWanted) return
    heading.current?.focus()
    heading.current?.scrollIntoView()
    onShown()
  }, [isWanted, onShown])
  const { attempt, verdict } = bar
  const { tone, icon, word, meaning } = verdictLook[verdict]
  return (
    <Section
      title={
        <span
          ref={heading}
          id="attempt"
          tabIndex={-1}
          className="flex scroll-mt-16 flex-wrap items-center gap-x-2 gap-y-1"
        >
          {t('operations.attempt.name', { attempt: attempt.attempt, run: attempt.run })}
          <Badge tone={tone} icon={icon}>
            {t(word)}
          </Badge>
          {attempt.late && <Badge tone="quiet">{t('operations.attempt.late')}</Badge>}
        </span>
      }
      description={
        <>
          <PluginLink pluginId={bar.pluginId} />
          {'\u00a0· '}
          {t(`vocabulary.phase.${bar.stage}`)}
        </>
      }
      actions={<AttemptSteps operation={operation} call={call} bar={bar} view={view} />}
      flush
    >
      <Card padded={false} className="@container divide-y divide-line">
        <div className="space-y-4 p-4">
          <DefinitionList
            layout="columns"
            items={[
              {
                label: t('operations.attempt.started'),
                value: <Time at={attempt.startedAt} exact className="whitespace-normal!" />,
              },
              {
                label: t('operations.attempt.duration'),
                value:
                  attempt.durationMs === null && verdict !== 'IN_FLIGHT' ? (
                    '–'
                  ) : (
                    <Duration ms={attempt.durationMs} since={attempt.startedAt} />
                  ),
              },
              {
                label: t('operations.attempt.http'),
                value: attempt.httpStatus ?? <span className="text-faint">{noStatus(verdict, t)}</span>,
              },
            ]}
          />
          <AttemptTimes call={call} bar={bar} />
          <div className="max-w-[80ch]">
            <p>{t(meaning)}</p>
            {attempt.late && <p className="mt-1 text-muted">{t('operations.attempt.late.meaning')}</p>}
          </div>
          {attempt.failure && <AttemptFailure failure={attempt.failure} />}
          <WireFacts wire={attempt.wire} />
          {isUncertain(verdict) && operation.state !== 'WAITING' && (
            <EvidenceList operation={operation} bar={bar} count={attemptCount(call)} />
          )}
        </div>
        <div className="p-4">
          <h3 className="mb-1 font-semibold">{t('operations.attempt.writes')}</h3>
          <Writes call={call} verdict={verdict} isLate={attempt.late} />
        </div>
        <Payloads key={`${bar.stage} ${bar.pluginId}`} call={call} bar={bar} />
      </Card>
    </Section>
  )
}

function noStatus(verdict: Verdict, t: Translate): string {
  if (verdict === 'IN_FLIGHT') return '–'
  return t(verdict === 'UNREADABLE' ? 'operations.attempt.http.notRecorded' : 'operations.attempt.noHttp')
}

function AttemptFailure({ failure }: { failure: Failure }) {
  const t = useText()
  const title = failureTitle(failure, t)
  const message = messageText(failure)
  const { errorCode: code, errorPath } = failure
  return (
    <div className="max-w-[80ch] space-y-1 border-l-2 border-line-strong pl-3">
      <p className="font-semibold wrap-anywhere">{title}</p>
      {message !== title && <p className="wrap-anywhere">{message}</p>}
      <RefusedHere failure={failure} />
      <ErrorFacts error={{ title, message, code, errorPath }} />
    </div>
  )
}

function Writes({ call, verdict, isLate }: { call: PluginCall; verdict: Verdict; isLate: boolean }) {
  const t = useText()
  if (verdict === 'IN_FLIGHT') return <p className="text-muted">{t('operations.attempt.response.notYet')}</p>
  if (isLate || !isSuccess(verdict)) {
    return <p className="text-muted">{t('operations.attempt.writes.discarded')}</p>
  }
  if (call.writes.length === 0) return <p className="text-muted">{t('operations.attempt.writes.none')}</p>
  return (
    <DefinitionList
      items={call.writes.map(({ locator, property, value }) => ({
        label: <span className="mono text-ink">{property}</span>,
        value: (
          <span className="flex flex-wrap items-baseline justify-between gap-x-4">
            <PropertyValueView value={value} />
            <span className="text-xs">
              <LocatorText locator={locator} />
            </span>
          </span>
        ),
      }))}
    />
  )
}

/** Why there are no figures for an attempt. */
function notMeasured({ to, verdict, attempt }: Bar) {
  if (attempt.byPlatform) return 'byPlatform'
  if (verdict === 'INTERRUPTED') return 'restarted'
  if (verdict === 'UNRECORDED') return 'notRecorded'
  return to === null ? 'notYet' : 'unknown'
}

/** How the time of one attempt was spent, as figures. */
function AttemptTimes({ call, bar }: { call: PluginCall; bar: Bar }) {
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
      {!isMeasured && <p className="mt-2 text-muted">{t(`operationTimeline.attempt.${notMeasured(bar)}`)}</p>}
    </div>
  )
}

/** What the head of a response tells besides its status: some headers, as they came, and the clock of the plugin's host. */
function WireFacts({ wire }: { wire: WireEvidence | null | undefined }) {
  const t = useText()
  if (wire == null) return null
  const clock = clockText(wire.clockBehindSeconds, t)
  return (
    <div className="max-w-[80ch] space-y-2">
      {clock !== null && <p>{clock}</p>}
      {wire.headers !== undefined && (
        <div>
          <h3 className="mb-1 font-semibold">{t('operations.wire.headers')}</h3>
          <DefinitionList
            items={Object.entries(wire.headers).map(([name, value]) => ({
              label: <span className="mono text-ink">{name}</span>,
              value: <span className="mono wrap-anywhere">{value}</span>,
            }))}
          />
        </div>
      )}
    </div>
  )
}
