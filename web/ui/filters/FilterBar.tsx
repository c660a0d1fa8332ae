import { useId, useState, type ComponentProps, type ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../Button.tsx'
import { cx } from '../class-names.ts'
import { Icon } from '../Icon.tsx'
import type { Option } from '../Select.tsx'

/**
 * The filters of a list, as items of the flex container around it.
 *
 * @param search - a search field that comes first. In a small window the other filters are then folded behind a button,
 *   so that the list begins on the first screen; they are open from the start if one is set.
 */
export function FilterBar({
  search,
  children,
  onClear,
}: {
  search?: ReactNode
  children: ReactNode
  onClear?: (() => void) | false
}) {
  const t = useText()
  const [open, setOpen] = useState(search === undefined || Boolean(onClear))
  return (
    <search aria-label={t('common.filters')} className="contents">
      {search !== undefined && (
        <div className="flex w-full gap-2 sm:contents">
          {search}
          <Button
            icon="filter"
            className="sm:hidden"
            aria-expanded={open}
            onClick={() => setOpen((wasOpen) => !wasOpen)}
          >
            {t('common.filters')}
          </Button>
        </div>
      )}
      <div className={cx(open ? 'flex flex-wrap items-center gap-2' : 'hidden', 'sm:contents')}>
        {children}
        {onClear && (
          <Button variant="quiet" size="sm" onClick={onClear}>
            {t('common.clearFilters')}
          </Button>
        )}
      </div>
    </search>
  )
}

/** The button that opens the popup of a filter. With a selection, it reads "State: Failed" and is highlighted. */
export function FilterButton({
  label,
  chosen,
  ...rest
}: { label: string; chosen?: string | undefined } & Omit<ComponentProps<'button'>, 'type' | 'className'>) {
  return (
    <button
      {...rest}
      type="button"
      className={cx(
        'inline-flex h-8 max-w-full items-center gap-1.5 rounded-md border px-2.5',
        chosen === undefined
          ? 'border-line-strong bg-surface hover:border-control'
          : 'border-accent-line bg-accent-tint',
      )}
    >
      <span className={chosen === undefined ? undefined : 'text-muted'}>{label}</span>
      {chosen !== undefined && <span className="min-w-0 truncate font-medium">{chosen}</span>}
      <Icon name="chevronDown" size={12} className="text-muted" />
    </button>
  )
}

/** A filter with few choices, which looks like a {@link FilterButton}. */
export function SelectFilter({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: string | undefined
  options: readonly Option[]
  onChange: (value: string | undefined) => void
}) {
  const t = useText()
  const id = useId()
  const chosen = options.find((option) => option.value === value)
  return (
    <span
      className={cx(
        'relative inline-flex h-8 items-center rounded-md border pr-7 pl-2.5 text-sm focus-within:outline-2 focus-within:outline-offset-[-1px] focus-within:outline-accent',
        chosen ? 'border-accent-line bg-accent-tint' : 'border-line-strong bg-surface hover:border-control',
      )}
    >
      <label htmlFor={id} className={chosen ? 'text-muted' : 'text-ink'}>
        {label}
      </label>
      {chosen && <span className="ml-1.5 max-w-40 truncate font-medium">{chosen.label}</span>}
      <Icon name="chevronDown" size={12} className="pointer-events-none absolute right-2.5 text-muted" />
      <select
        id={id}
        value={chosen ? chosen.value : ''}
        onChange={(event) => onChange(event.target.value || undefined)}
        className="absolute inset-0 w-full cursor-pointer appearance-none opacity-0"
      >
        <option value="">{t('common.any')}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </span>
  )
}

/** A filter from the address that has no control: it is shown and can be removed. */
export function FilterChip({
  label,
  value,
  onRemove,
}: {
  label: string
  value: ReactNode
  onRemove: () => void
}) {
  const t = useText()
  return (
    <span className="inline-flex h-8 max-w-full items-center gap-1.5 rounded-md border border-accent-line bg-accent-tint pr-1 pl-2.5">
      <span className="text-muted">{label}</span>
      <span className="min-w-0 truncate font-medium">{value}</span>
      <button
        type="button"
        aria-label={t('common.removeFilter', { name: label })}
        onClick={onRemove}
        className="flex size-6 items-center justify-center rounded-sm text-muted hover:bg-selected hover:text-ink"
      >
        <Icon name="close" size={12} />
      </button>
    </span>
  )
}
