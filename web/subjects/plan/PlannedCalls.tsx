import type { PlannedStage } from '#contract/console-api/shapes.ts'
import { joinList } from '../../i18n/punctuation.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Icon } from '../../ui/Icon.tsx'

type Call = PlannedStage['calls'][number]

/**
 * The steps of an operation: plugins before, the resources themselves, plugins after. Equal orders are called in
 * parallel.
 */
export function PlannedCalls({
  stages,
  isDetach = false,
}: {
  stages: readonly PlannedStage[]
  isDetach?: boolean
}) {
  const t = useText()
  const callsIn = (name: PlannedStage['stage']) => stages.find(({ stage }) => stage === name)?.calls ?? []
  const steps = [
    { key: 'BEFORE_RESOURCES', calls: callsIn('BEFORE_RESOURCES') },
    { key: 'RESOURCES', calls: null },
    { key: 'AFTER_RESOURCES', calls: callsIn('AFTER_RESOURCES') },
  ] as const
  return (
    <ol
      aria-label={t('plans.calls')}
      className="grid gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3"
    >
      {steps.map(({ key, calls }) => (
        <li key={key} className="min-w-0 bg-sunken px-3 py-2">
          <p className="text-xs font-medium text-muted">{t(`vocabulary.phase.${key}`)}</p>
          {calls === null ? (
            <p className="mt-0.5 text-xs">{t(isDetach ? 'plans.resources.DETACH' : 'plans.resources')}</p>
          ) : calls.length === 0 ? (
            <p className="mt-0.5 text-xs text-faint">{t('plans.noPlugin')}</p>
          ) : (
            <ol className="mt-0.5 space-y-0.5">
              {calls.map((call) => (
                <PlannedCall key={call.pluginId} call={call} isDetach={isDetach} />
              ))}
            </ol>
          )}
        </li>
      ))}
    </ol>
  )
}

function PlannedCall({ call, isDetach }: { call: Call; isDetach: boolean }) {
  const t = useText()
  const { pluginId, order, availability, unchecked, reads, writes } = call
  return (
    <li className="flex min-w-0 items-baseline gap-2 text-xs">
      <span className="w-5 shrink-0 text-right text-faint tabular-nums" title={t('plans.order')}>
        {order}
      </span>
      <span className="min-w-0">
        <span className="mono wrap-anywhere">{pluginId}</span>
        {availability !== 'READY' && (
          <span className="flex gap-1 text-doubt">
            <Icon name="warning" size={12} className="mt-0.5" />
            {t(availabilityText(availability, isDetach))}
          </span>
        )}
        {unchecked && (
          <span className="flex gap-1 text-doubt">
            <Icon name="warning" size={12} className="mt-0.5" />
            {t(`plans.unchecked.${unchecked.reason}`, { version: unchecked.version ?? '' })}
          </span>
        )}
        {reads.length > 0 && <Rights text="plans.reads" properties={reads} />}
        {writes.length > 0 && !isDetach && <Rights text="plans.writes" properties={writes} />}
      </span>
    </li>
  )
}

/** Whether the plugin can be called now, as the key of a text; a retired one is not called in a DETACH either. */
export const availabilityText = (availability: Exclude<Call['availability'], 'READY'>, isDetach: boolean) =>
  availability === 'RETIRED' && isDetach
    ? 'plans.availability.RETIRED.detach'
    : (`plans.availability.${availability}` as const)

function Rights({ text, properties }: { text: 'plans.reads' | 'plans.writes'; properties: Call['reads'] }) {
  const t = useText()
  const rich = useRichText()
  const names = [...new Set(properties.map(({ property }) => property))]
  return (
    <span className="block text-faint wrap-anywhere">
      {rich(text, { properties: <span className="mono">{joinList(t, names)}</span> })}
    </span>
  )
}
