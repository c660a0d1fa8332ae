import { useId } from 'react'
import { cx } from './class-names.ts'
import { Icon, type IconName } from './Icon.tsx'

/** A choice between a few visible options: radio buttons drawn as one bar. */
export function SegmentedControl<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: Value
  options: readonly { value: Value; label: string; icon?: IconName }[]
  onChange: (value: Value) => void
}) {
  const name = useId()
  return (
    <fieldset className="flex rounded-md border border-line-strong bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className={cx(
            'flex h-6 min-w-6 flex-auto items-center justify-center gap-1 rounded-sm px-2 text-xs font-medium whitespace-nowrap has-focus-visible:outline-2 has-focus-visible:outline-accent',
            option.value === value
              ? 'bg-surface text-ink shadow-1 ring-1 ring-line-strong'
              : 'text-muted hover:text-ink',
          )}
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="sr-only"
          />
          {option.icon && <Icon name={option.icon} size={14} />}
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}
