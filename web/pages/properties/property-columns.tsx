import type { PropertyRow } from '#contract/console-api/shapes.ts'
import type { Translate } from '../../i18n/use-text.ts'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Mono } from '../../ui/Id.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Time } from '../../ui/Time.tsx'
import { PropertyValueView } from '../../ui/value/ValueView.tsx'

export const propertyColumns = (t: Translate): Column<PropertyRow>[] => [
  {
    id: 'scope',
    header: t('properties.column.scope'),
    cell: ({ installation, claim }) => (
      <span className="inline-flex max-w-full items-center gap-1.5">
        <ScopeText scope={installation} />
        {claim !== null && (
          <>
            <Icon name="lock" size={12} className="shrink-0 text-doubt" />
            <span className="sr-only">{t('properties.locked')}</span>
          </>
        )}
      </span>
    ),
    width: 'clamp(13.5rem, 22cqi, 20rem)',
  },
  {
    id: 'value',
    header: t('properties.column.value'),
    cell: ({ value, equalityGroup }) => (
      <span className="inline-flex max-w-full items-baseline gap-2">
        <span className="max-h-10 min-w-0 overflow-hidden wrap-anywhere">
          <PropertyValueView value={value} />
        </span>
        {equalityGroup !== undefined && (
          <span className="text-xs text-faint">
            {t('properties.equal', { group: letterOf(equalityGroup) })}
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'origin',
    header: t('properties.column.origin'),
    cell: ({ origin }) =>
      origin === null ? (
        <Nothing />
      ) : (
        <Badge look="plain" icon={origin === 'setHere' ? 'edit' : 'minus'}>
          {origin === 'setHere' ? (
            <span className="text-ink">{t('properties.origin.setHere')}</span>
          ) : (
            t('properties.origin.default')
          )}
        </Badge>
      ),
    width: '8.25rem',
    card: 'plain',
  },
  {
    id: 'version',
    header: t('properties.column.version'),
    cell: ({ version }) => <Mono className="text-muted">{version}</Mono>,
    width: '6rem',
    // or the value would have no room beside the person and the reason
    hideBelow: 'xl',
  },
  {
    id: 'changed',
    header: t('properties.column.changed'),
    cell: ({ lastChange }) =>
      lastChange === null ? <Nothing /> : <Time at={lastChange.at} inRow className="text-muted" />,
    width: '8.25rem',
    card: 'plain',
  },
  {
    id: 'by',
    header: t('properties.column.by'),
    cell: ({ lastChange }) => (lastChange === null ? <Nothing /> : lastChange.by.name),
    width: '9rem',
    hideBelow: 'md',
    card: 'plain',
  },
  {
    id: 'reason',
    header: t('properties.column.reason'),
    cell: ({ lastChange }) =>
      lastChange?.reason == null ? (
        <Nothing />
      ) : (
        <span className="block truncate text-muted" title={lastChange.reason}>
          {lastChange.reason}
        </span>
      ),
    width: '18%',
    hideBelow: 'lg',
    card: 'wide',
  },
]

/** A, B, …, Z, AA: the equal values of a page. */
function letterOf(group: number): string {
  const letter = String.fromCodePoint(65 + ((group - 1) % 26))
  return group > 26 ? letterOf(Math.floor((group - 1) / 26)) + letter : letter
}
