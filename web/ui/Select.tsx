import type { ComponentProps } from 'react'
import { cx } from './class-names.ts'
import { Icon } from './Icon.tsx'

export type Option<Value extends string = string> = {
  value: Value
  label: string
  disabled?: boolean
  /** The title of the group that it is in. Options of one group are shown together, at the place of the first. */
  group?: string
}

/** The browser's own select: native keyboard support and list on phones, without script. */
export function Select({
  options,
  placeholder,
  className,
  ...rest
}: Omit<ComponentProps<'select'>, 'children'> & {
  options: readonly Option[]
  /** An option for "nothing selected". */
  placeholder?: string | undefined
}) {
  return (
    <span className={cx('relative flex min-w-0', className)}>
      <select {...rest} className="control appearance-none truncate pr-8">
        {placeholder !== undefined && <option value="">{placeholder}</option>}
        {[...Map.groupBy(options, ({ group }) => group ?? '')].map(([group, grouped]) =>
          group === '' ? (
            grouped.map(optionOf)
          ) : (
            <optgroup key={group} label={group}>
              {grouped.map(optionOf)}
            </optgroup>
          ),
        )}
      </select>
      <Icon
        name="chevronDown"
        size={14}
        className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-muted"
      />
    </span>
  )
}

const optionOf = ({ value, label, disabled }: Option) => (
  <option key={value} value={value} disabled={disabled}>
    {label}
  </option>
)
