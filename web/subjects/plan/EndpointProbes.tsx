import { useQueries } from '@tanstack/react-query'
import type { PlannedStage } from '#contract/console-api/shapes.ts'
import { callApi } from '../../api/client.ts'
import { joinList } from '../../i18n/punctuation.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Mono } from '../../ui/Id.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Time } from '../../ui/Time.tsx'

type Answer = Awaited<ReturnType<typeof callApi<'POST /plugins/{pluginId}/probe'>>>

/** More plugins are not tested. */
const PROBED_MAX = 20

/**
 * Whether the plugins that an operation would call can be connected to now. Only a connection is opened, so a plugin that
 * can be reached may still refuse its call.
 *
 * @param isTakeover Whether a DETACH that fails ends an operation that could have been retried.
 */
export function EndpointProbes({
  stages,
  isTakeover = false,
}: {
  stages: readonly PlannedStage[]
  isTakeover?: boolean
}) {
  const t = useText()
  const called = stages.flatMap(({ calls }) => calls.filter(({ availability }) => availability === 'READY'))
  const pluginIds = [...new Set(called.map(({ pluginId }) => pluginId))].slice(0, PROBED_MAX)
  const probes = useQueries({
    queries: pluginIds.map((pluginId) => ({
      queryKey: ['POST /plugins/{pluginId}/probe', pluginId],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        callApi('POST /plugins/{pluginId}/probe', { params: { pluginId } }, { signal }),
      gcTime: 0,
      staleTime: Infinity,
      retry: false,
    })),
  })
  if (pluginIds.length === 0) return null
  const unreachable = probes.flatMap(({ data }) => (data?.failure == null ? [] : [data.pluginId]))
  return (
    <section aria-label={t('plans.probe.title')} className="space-y-2">
      <div>
        <p className="font-medium">{t('plans.probe.title')}</p>
        <p className="text-xs text-muted">{t('plans.probe.about')}</p>
      </div>
      <ul className="divide-y divide-line rounded-md border border-line" aria-live="polite">
        {pluginIds.map((pluginId, index) => (
          <Probed key={pluginId} pluginId={pluginId} probe={probes[index]} />
        ))}
      </ul>
      {unreachable.length > 0 && (
        <Notice tone="warn" live>
          {t(isTakeover ? 'plans.probe.failsTakeover' : 'plans.probe.fails', {
            plugins: joinList(t, unreachable),
          })}
        </Notice>
      )}
    </section>
  )
}

function Probed({
  pluginId,
  probe,
}: {
  pluginId: string
  probe: { data: Answer | undefined; isError: boolean } | undefined
}) {
  const t = useText()
  const rich = useRichText()
  const data = probe?.data
  const isReachable = data?.failure === null
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 px-3 py-1.5 text-xs">
      <span className="min-w-0 flex-1 max-sm:basis-full">
        <span className="mono block font-medium wrap-anywhere">{pluginId}</span>
        {data && <Mono className="block text-faint">{data.endpoint}</Mono>}
      </span>
      {data === undefined ? (
        <span className="text-muted">
          {t(probe?.isError ? 'plans.probe.unknown' : 'plans.probe.testing')}
        </span>
      ) : (
        <span className={isReachable ? 'text-ok' : 'text-doubt'}>
          <Icon name={isReachable ? 'done' : 'warning'} size={12} className="mr-1 inline" />
          {t(data.failure === null ? 'plans.probe.reachable' : `noResponse.${data.failure}`)}{' '}
          <span className="text-faint">
            {rich('plans.probe.tested', { time: <Time at={data.testedAt} /> })}
          </span>
        </span>
      )}
    </li>
  )
}
