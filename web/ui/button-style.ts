import { cx } from './class-names.ts'

/** `danger` is for an irreversible action, in its dialog; `dangerQuiet` opens that dialog. */
export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger' | 'dangerQuiet'
export type ButtonSize = 'md' | 'sm'

// Forced colors drop backgrounds and show transparent borders, so a filled button has one.
const VARIANT: Record<ButtonVariant, string> = {
  primary: 'border border-transparent bg-ink text-inverse hover:bg-ink/88 active:bg-ink/80',
  secondary:
    'border border-line-strong bg-surface text-ink shadow-1 hover:border-control hover:bg-hover active:bg-selected',
  quiet: 'text-muted hover:bg-selected hover:text-ink active:bg-selected',
  dangerQuiet:
    'border border-line-strong bg-surface text-fail shadow-1 hover:border-fail-line hover:bg-fail-tint active:bg-fail-tint',
  danger:
    'border border-transparent bg-danger-fill text-on-fill hover:bg-danger-fill/90 active:bg-danger-fill/80',
}

/** Each keeps its shape, on every surface, and is quieter than what can be pressed. */
const OUTLINED = 'border border-line text-faint'
const FILLED = 'border border-transparent bg-line-strong/55 text-muted'
const DISABLED: Record<ButtonVariant, string> = {
  primary: FILLED,
  secondary: OUTLINED,
  quiet: 'text-faint',
  dangerQuiet: OUTLINED,
  danger: FILLED,
}

const SIZE: Record<ButtonSize, string> = {
  md: 'h-8 gap-1.5 px-3 text-sm',
  sm: 'h-6.5 gap-1 px-2 text-xs',
}

/** The styles shared by buttons and links that look like buttons. */
export function buttonStyle(look: {
  variant?: ButtonVariant | undefined
  size?: ButtonSize | undefined
  iconOnly?: boolean
  disabled?: boolean
}): string {
  const { variant = 'secondary', size = 'md', iconOnly = false, disabled = false } = look
  return cx(
    'inline-flex shrink-0 items-center justify-center rounded-md font-medium whitespace-nowrap transition-colors duration-100 select-none print:hidden',
    SIZE[size],
    iconOnly && (size === 'md' ? 'w-8 px-0' : 'w-6.5 px-0'),
    disabled ? DISABLED[variant] : VARIANT[variant],
  )
}
