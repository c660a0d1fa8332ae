import { useState, type ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { Icon } from '../icons/Icon.tsx'

/** Any JSON value. */
export type JsonValue = unknown

/** A property as people see it: the wrapped value of the APIs, or null for "not set". */
export type PropertyValue =
  | { '@type': 'Data'; isSensitive: true; isSet: boolean }
  | { '@type': 'Data'; value?: JsonValue }
  | { '@type': 'ServiceReference'; serviceId: string }
  | { '@type': 'ServiceReferenceMap'; valueMap: Readonly<Record<string, { serviceId: string }>> }
  | { '@type': 'ServiceReferenceList'; valueList: readonly { serviceId: string }[] }
  | null

const LONG = 160

/** A property's value, in words where possible: not set, hidden, a service, a list of services. */
export function PropertyValueView({ value }: { value: PropertyValue }) {
  const t = useText()
  if (value === null) return <Word>{t('common.value.notSet')}</Word>
  if (value['@type'] === 'ServiceReference') return <Service id={value.serviceId} />
  if (value['@type'] === 'ServiceReferenceMap') {
    const entries = Object.entries(value.valueMap)
    if (entries.length === 0) return <Word>{t('common.value.empty')}</Word>
    return (
      <ul className="space-y-0.5">
        {entries.map(([key, reference]) => (
          <li key={key} className="flex flex-wrap items-center gap-1.5">
            <span className="mono text-muted">{key}</span>
            <Icon name="arrowRight" size={12} className="text-faint" />
            <Service id={reference.serviceId} />
          </li>
        ))}
      </ul>
    )
  }
  if (value['@type'] === 'ServiceReferenceList') {
    if (value.valueList.length === 0) return <Word>{t('common.value.empty')}</Word>
    return (
      <ol className="space-y-0.5">
        {Object.entries(value.valueList).map(([position, reference]) => (
          <li key={position} className="flex items-center gap-1.5">
            <span className="w-4 text-right text-xs text-faint tabular-nums">{Number(position) + 1}</span>
            <Service id={reference.serviceId} />
          </li>
        ))}
      </ol>
    )
  }
  if ('isSensitive' in value) {
    return (
      <span className="inline-flex items-center gap-1.5 text-muted">
        <Icon name="lock" size={12} />
        {t(value.isSet ? 'common.value.sensitiveSet' : 'common.value.sensitiveNotSet')}
      </span>
    )
  }
  return <ValueView value={value.value} />
}

/** A JSON value in little space: a scalar as is, anything else as JSON, truncated when long. */
export function ValueView({ value }: { value: JsonValue }) {
  const t = useText()
  const [whole, setWhole] = useState(false)
  if (value === undefined) return <Word>{t('common.value.notSet')}</Word>
  if (value === '') return <Word>{t('common.value.emptyText')}</Word>
  const text = typeof value === 'string' ? value : whole ? JSON.stringify(value, null, 2) : inLine(value)
  const tooLong = text.length > LONG || text.includes('\n')
  const shown = tooLong && !whole ? `${text.replaceAll('\n', ' ').slice(0, LONG)}…` : text
  return (
    <span className="min-w-0">
      <span className="mono wrap-anywhere whitespace-pre-wrap">{shown}</span>
      {tooLong && (
        <button
          type="button"
          aria-expanded={whole}
          onClick={() => setWhole(!whole)}
          className="ml-2 h-6 rounded-sm text-xs font-medium text-accent hover:underline"
        >
          {t(whole ? 'common.value.less' : 'common.value.more')}
        </button>
      )}
    </span>
  )
}

/** JSON on one line, with spaces where it may wrap. Line breaks inside strings are escaped, so they do not matter. */
function inLine(value: JsonValue): string {
  return JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ')
}

function Service({ id }: { id: string }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <Icon name="services" size={12} className="text-faint" />
      <span className="mono wrap-anywhere">{id}</span>
    </span>
  )
}

/** Our own word in place of a value, styled so that it cannot be mistaken for one. */
function Word({ children }: { children: ReactNode }) {
  return <span className="text-faint italic">{children}</span>
}
