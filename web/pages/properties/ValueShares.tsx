import { useId } from 'react'
import type { PropertiesSearch } from '#contract/console-api/pages/properties.ts'
import { SEARCH_TEXT_MAX, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import type { PropertyRow } from '#contract/console-api/shapes.ts'
import { formatNumber } from '../../i18n/format.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { PropertyValueView } from '../../ui/value/ValueView.tsx'

const SHOWN_MAX = 6

type Share = { key: string; value: PropertyRow['value']; rows: number; isDefault: boolean }

/** How often each value occurs on this page of the list; a press lists only it, or all others. */
export function ValueShares({
  rows,
  search,
  onFilter,
}: {
  rows: readonly PropertyRow[]
  search: PropertiesSearch
  onFilter: (next: SearchChange<PropertiesSearch>) => void
}) {
  const t = useText()
  const id = useId()
  const shares = sharesOf(rows)
  // a page of one value has nothing to tell, and hidden values have no shares
  if (shares.length < 2 || rows.some(({ value }) => value?.['@type'] === 'Data' && 'isSensitive' in value))
    return null
  const shown = shares.slice(0, SHOWN_MAX)
  const others = shares.length - shown.length
  return (
    <section aria-label={t('properties.shares')} className="mb-4">
      <h2 className="mb-1.5 text-xs font-medium text-muted">
        {t('properties.shares.title', { n: shares.length, rows: rows.length })}
      </h2>
      <ul className="max-w-xl">
        {shown.map(({ key, value, rows: n, isDefault }, index) => (
          <li key={key} className="flex min-h-8 items-center gap-3">
            <span className="w-6 text-right tabular-nums">{formatNumber(n)}</span>
            <span
              aria-hidden="true"
              className="h-2 w-10 shrink-0 rounded-full bg-sunken ring-1 ring-line sm:w-32"
            >
              <span
                className="block h-full rounded-full bg-accent forced-color-adjust-none"
                style={{ width: `${(100 * n) / rows.length}%` }}
              />
            </span>
            <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
              <span
                id={`${id}-${index}`}
                className="max-h-5 min-w-0 overflow-hidden font-medium wrap-anywhere"
              >
                <PropertyValueView value={value} />
              </span>
              {isDefault && <span className="text-xs text-faint">{t('properties.origin.default')}</span>}
            </span>
            {/* a longer one is not a filter: an address would not hold it */}
            {value !== null && key.length <= SEARCH_TEXT_MAX && (
              <span className="flex gap-1">
                {(['equals', 'differs'] as const).map((filter) => (
                  <Button
                    key={filter}
                    size="sm"
                    variant="quiet"
                    of={`${id}-${index}`}
                    aria-pressed={search[filter] === key}
                    onClick={() =>
                      onFilter({
                        equals: undefined,
                        differs: undefined,
                        [filter]: search[filter] === key ? undefined : key,
                      })
                    }
                  >
                    {t(`properties.shares.${filter}`)}
                  </Button>
                ))}
              </span>
            )}
          </li>
        ))}
      </ul>
      {others > 0 && <p className="mt-1 text-xs text-faint">{t('properties.shares.more', { n: others })}</p>}
    </section>
  )
}

function sharesOf(rows: readonly PropertyRow[]): Share[] {
  const groups = Map.groupBy(rows, ({ value }) => JSON.stringify(value))
  return [...groups]
    .map(([key, of]) => ({
      key,
      value: of[0]?.value ?? null,
      rows: of.length,
      isDefault: of.some(({ origin }) => origin === 'default'),
    }))
    .toSorted((one, other) => other.rows - one.rows)
}
