import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { Icon } from '../../ui/Icon.tsx'
import { TextLink } from '../../ui/Link.tsx'
import { formatTimeOfDay } from '../../i18n/format.ts'
import { RESULTS, type HourCount } from './plot.ts'

/** The numbers of the chart; each hour links to its operations. */
export function PlotTable({ hours }: { hours: readonly HourCount[] }) {
  const t = useText()
  const filled = hours.filter(({ total }) => total > 0)
  if (filled.length === 0) return null
  return (
    <details className="group mt-3 border-t border-line pt-2">
      <summary className="inline-flex min-h-6 items-center gap-1 rounded-sm text-xs font-medium text-muted hover:text-ink">
        <Icon name="chevronRight" size={12} className="transition-transform group-open:rotate-90" />
        {t('overview.plot.table')}
      </summary>
      <table className="mt-2 w-full text-right">
        <thead className="text-xs text-muted">
          <tr>
            <th scope="col" className="py-1 text-left font-medium">
              {t('overview.plot.hour')}
            </th>
            {RESULTS.map((result) => (
              <th key={result} scope="col" className="font-medium">
                {t(`overview.result.${result}`)}
              </th>
            ))}
            <th scope="col" className="font-medium">
              {t('overview.plot.total')}
            </th>
          </tr>
        </thead>
        <tbody>
          {filled.map(({ from, to, counts, total }) => (
            <tr key={from} className="border-t border-line">
              <th scope="row" className="py-1 text-left font-normal">
                <TextLink
                  to={paths.operations({
                    since: new Date(from).toISOString(),
                    until: new Date(to).toISOString(),
                  })}
                >
                  {formatTimeOfDay(from)}–{formatTimeOfDay(to)}
                </TextLink>
              </th>
              {RESULTS.map((result) => (
                <td key={result} className={counts[result] === 0 ? 'text-faint' : undefined}>
                  {counts[result]}
                </td>
              ))}
              <td className="font-medium">{total}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
