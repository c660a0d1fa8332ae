import { useId, type ReactNode } from 'react'
import { useText } from '../i18n/use-text.ts'
import { cx } from './class-names.ts'
import { Icon } from './Icon.tsx'

/** Connects an input to its label, help and error. */
export type FieldWiring = {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
  'aria-required': true | undefined
}

/** The wiring of a field. A control with several inputs is a group, which only `aria-labelledby` can name. */
export type ControlWiring = FieldWiring & {
  'aria-labelledby'?: string | undefined
  /** Of an item, which has no label. */
  'aria-label'?: string | undefined
  /** In the empty field of a text or number: that it has no value. */
  placeholder?: string | undefined
}

/**
 * A label, an input, its help and its error. The input is a function of the wiring, so that the wiring cannot be
 * forgotten. On an error, `data-invalid` names the input: see `focusFirstInvalid`.
 */
export function Field({
  label,
  help,
  error,
  need = 'none',
  hint,
  children,
  className,
}: {
  label: ReactNode
  help?: ReactNode
  error?: ReactNode
  /** Marks the field as required or optional; a form marks the rarer kind. */
  need?: 'required' | 'optional' | 'none'
  /** At the right of the label: "written by plugin x", a reset button. */
  hint?: ReactNode
  children: (wiring: FieldWiring) => ReactNode
  className?: string | undefined
}) {
  const t = useText()
  const id = useId()
  const described = [error && `${id}-error`, help && `${id}-help`].filter(Boolean).join(' ')
  return (
    <div data-invalid={error ? id : undefined} className={cx('min-w-0', className)}>
      <div className="mb-1 flex min-h-5 flex-wrap items-baseline justify-between gap-x-3">
        <label htmlFor={id} className="font-medium wrap-anywhere">
          {label}
          {need !== 'none' && (
            <span className="ml-1.5 text-xs font-normal text-faint">{t(`common.${need}`)}</span>
          )}
        </label>
        {hint && <span className="text-xs text-faint">{hint}</span>}
      </div>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error ? true : undefined,
        'aria-required': need === 'required' ? true : undefined,
      })}
      {error && <FieldErrorText id={`${id}-error`}>{error}</FieldErrorText>}
      {help && (
        <p id={`${id}-help`} className="mt-1 text-xs text-faint wrap-anywhere">
          {help}
        </p>
      )}
    </div>
  )
}

/** The error of a field, below its input. */
export function FieldErrorText({ id, children }: { id: string; children: ReactNode }) {
  return (
    <p id={id} className="mt-1.5 flex gap-1.5 text-xs text-fail">
      <Icon name="failed" size={12} className="mt-0.5" />
      <span className="min-w-0 wrap-anywhere whitespace-pre-line">{children}</span>
    </p>
  )
}
