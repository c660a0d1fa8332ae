import type { ComponentProps, ReactNode } from 'react'
import { cx } from './class-names.ts'
import { useKeptSelection } from './keep-selection.ts'

/** A single-line text. `code` is for keys, versions and other text that is compared letter by letter. */
export function TextInput({
  code = false,
  className,
  ...rest
}: ComponentProps<'input'> & { code?: boolean }) {
  const selection = useKeptSelection(rest.onChange)
  return (
    <input
      type="text"
      autoComplete="off"
      {...rest}
      {...selection}
      className={cx('control', code && 'mono', className)}
      spellCheck={!code}
    />
  )
}

export function NumberInput({
  className,
  unit,
  ...rest
}: Omit<ComponentProps<'input'>, 'type'> & { unit?: ReactNode }) {
  const selection = useKeptSelection(rest.onChange)
  const input = (
    <input
      inputMode="decimal"
      autoComplete="off"
      {...rest}
      {...selection}
      // text, not number: a number field drops invalid input and changes with the mouse wheel
      type="text"
      className={cx('control', className)}
    />
  )
  if (!unit) return input
  return (
    <span className="flex items-center gap-2">
      {input}
      <span className="text-muted">{unit}</span>
    </span>
  )
}

export function TextArea({
  code = false,
  className,
  ...rest
}: ComponentProps<'textarea'> & { code?: boolean }) {
  const selection = useKeptSelection(rest.onChange)
  return (
    <textarea
      rows={3}
      {...rest}
      {...selection}
      spellCheck={!code}
      className={cx('control h-auto min-h-16 resize-y py-1.5', code && 'mono', className)}
    />
  )
}
