import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { causeHoursCall } from '#contract/console-api/pages/causes.ts'
import type { OperationsSearch } from '#contract/console-api/pages/operations.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { PluginFailures } from '#contract/console-api/shapes.ts'
import { paths } from '../../../addresses/paths.ts'
import { apiQuery } from '../../../api/query.ts'
import { formatNumber, formatTimeOfDay } from '../../../i18n/format.ts'
import { useText } from '../../../i18n/use-text.ts'
import { cx } from '../../../ui/class-names.ts'
import { PlainLink } from '../../../ui/Link.tsx'

const HOUR_MS = 3_600_000
/** What failures of the runtime itself are at. */
const RUNTIME = 'bundle-runtime'
/** The shades of a number of failures, from one on. */
const SHADES = [
  { from: 1, shade: 'bg-fail-tint' },
  { from: 3, shade: 'bg-fail-line/60' },
  { from: 10, shade: 'bg-fail-line' },
  { from: 30, shade: 'bg-[color-mix(in_srgb,var(--fail-line),var(--fail)_30%)]' },
] as const

const shadeOf = (count: number): string => SHADES.findLast(({ from }) => count >= from)?.shade ?? ''

/** Where the hours do not fit, those that have just passed are in view. Stable, so that it moves nothing later. */
const showLast = (box: HTMLDivElement | null): void => {
  if (box !== null) box.scrollLeft = box.scrollWidth
}

/** The failures of the last 24 hours by plugin and hour. Shows nothing if there are none. */
export function FailureHours({ search }: { search: OperationsSearch }) {
  const t = useText()
  const id = useId()
  const { data } = useQuery({
    ...apiQuery('GET /causes/hours', causeHoursCall(search)),
    placeholderData: keepPreviousData,
  })
  if (data === undefined || data.plugins.length === 0) return null
  const first = Date.parse(data.since)
  const hours = data.plugins[0]?.hours.map((_, hour) => first + hour * HOUR_MS) ?? []
  return (
    <section aria-labelledby={id} className="mb-4 rounded-lg border border-line bg-surface">
      <h2 id={id} className="px-4 pt-3 pb-2 font-semibold">
        {t('operations.hours.title')}
      </h2>
      <div ref={showLast} className="relative overflow-x-auto overscroll-x-contain px-2 pb-3">
        <table
          aria-labelledby={id}
          className="w-full min-w-5xl table-fixed border-separate border-spacing-0.5 text-xs"
        >
          <thead>
            <tr>
              <th
                scope="col"
                className="sticky left-0 w-32 bg-surface px-2 text-left font-medium text-muted lg:w-48"
              >
                {t('operations.hours.plugin')}
              </th>
              {hours.map((from) => (
                <th key={from} scope="col" className="h-6 font-normal text-muted tabular-nums">
                  <span className="sr-only">{formatTimeOfDay(from)}</span>
                  <span aria-hidden="true">{formatTimeOfDay(from).slice(0, 2)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.plugins.map((plugin) => (
              <PluginRow key={plugin.pluginId} plugin={plugin} first={first} search={search} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function PluginRow({
  plugin: { pluginId, hours },
  first,
  search,
}: {
  plugin: PluginFailures
  first: number
  search: OperationsSearch
}) {
  const t = useText()
  const { environmentKey, applicationRuntimeId, workspaceId } = search
  const name = pluginId ?? t('operations.hours.runtime')
  return (
    <tr>
      <th scope="row" className="sticky left-0 bg-surface px-2 text-left font-normal wrap-anywhere">
        <span className={cx(pluginId !== null && 'mono')}>{name}</span>
      </th>
      {Object.entries(hours).map(([hour, count]) => {
        const from = first + Number(hour) * HOUR_MS
        return (
          <td key={hour} className="h-7 p-0 text-center text-faint">
            {count === 0 ? (
              <>
                <span aria-hidden="true">·</span>
                <span className="sr-only">0</span>
              </>
            ) : (
              <PlainLink
                to={paths.operations(
                  omitUndefined({
                    environmentKey,
                    applicationRuntimeId,
                    workspaceId,
                    failedAt: pluginId ?? RUNTIME,
                    state: 'FAILED',
                    since: new Date(from).toISOString(),
                    until: new Date(from + HOUR_MS).toISOString(),
                  }),
                )}
                className={cx(
                  'flex h-full min-h-7 items-center justify-center rounded-sm border border-transparent font-medium text-ink tabular-nums hover:border-fail',
                  shadeOf(count),
                )}
              >
                <span aria-hidden="true">{formatNumber(count)}</span>
                <span className="sr-only">
                  {t('operations.hours.cell', { n: count, plugin: name, from: formatTimeOfDay(from) })}
                </span>
              </PlainLink>
            )}
          </td>
        )
      })}
    </tr>
  )
}
