import type { ComponentProps } from 'react'
import { cx } from './class-names.ts'
import { Icon } from './Icon.tsx'

export type Option<Value extends string = string> = { value: Value; label: string; disabled?: boolean }

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
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon
        name="chevronDown"
        size={14}
        className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-muted"
      />
    </span>
  )
}
