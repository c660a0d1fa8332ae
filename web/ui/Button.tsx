import { useId, type ComponentProps, type ReactNode } from 'react'
import { buttonStyle, type ButtonSize, type ButtonVariant } from './button-style.ts'
import { Icon, type IconName } from './Icon.tsx'
import { Tooltip, type TooltipTarget } from './Tooltip.tsx'

type Own = {
  variant?: ButtonVariant
  size?: ButtonSize
  icon?: IconName
  /** Shown after the label: a chevron, a count, a key. */
  trailing?: ReactNode
  /**
   * Work is in progress. The button keeps its width and focus, and does nothing when it is pressed; a submit
   * button leaves that to its form.
   */
  busy?: boolean
  /**
   * Why the button is disabled. It stays reachable by keyboard and shows the reason. A submit button still submits its
   * form, which does not send but shows what is missing.
   */
  disabledReason?: string | false | null | undefined
  /**
   * The id of the element that names what a repeated button is about: the button's name is then its own, followed by that
   * of the element.
   */
  of?: string | undefined
}

type Named = { children: ReactNode; label?: never } | { children?: never; label: string }

export type ButtonProps = Own & Named & Omit<ComponentProps<'button'>, 'children' | 'disabled'>

/** The only button component. An icon-only button gets its name from `label`; one that opens a popup shows so. */
export function Button(props: ButtonProps) {
  const { disabledReason, label } = props
  // always in a tooltip: a button that gets a reason, or loses it, must keep the focus
  return (
    <Tooltip text={disabledReason || label}>
      {(target) => <PlainButton {...props} {...withOwn(target, props)} />}
    </Tooltip>
  )
}

/** Combines the button's own listeners with those of its tooltip. */
function withOwn(target: TooltipTarget, own: ButtonProps) {
  return {
    'aria-describedby': target['aria-describedby'] ?? own['aria-describedby'],
    onPointerEnter: both(own.onPointerEnter, target.onPointerEnter),
    onPointerLeave: both(own.onPointerLeave, target.onPointerLeave),
    onFocus: both(own.onFocus, target.onFocus),
    onBlur: both(own.onBlur, target.onBlur),
    onKeyDown: both(own.onKeyDown, target.onKeyDown),
  }
}

function both<Event>(own: ((event: Event) => void) | undefined, target: (event: Event) => void) {
  return (event: Event) => {
    own?.(event)
    target(event)
  }
}

function PlainButton({
  variant,
  size,
  icon,
  trailing,
  busy = false,
  disabledReason,
  of,
  label,
  children,
  className,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const ownId = useId()
  const { id = ownId } = rest
  const reasonId = `${ownId}-reason`
  const blocked = busy || Boolean(disabledReason)
  const isInert = blocked && type !== 'submit'
  return (
    <button
      {...rest}
      // oxlint-disable-next-line react/button-has-type -- the default above is `button`
      type={type}
      id={of === undefined ? rest.id : id}
      aria-label={label}
      aria-labelledby={of === undefined ? rest['aria-labelledby'] : `${id} ${of}`}
      aria-disabled={blocked || undefined}
      aria-busy={busy || undefined}
      aria-describedby={disabledReason ? reasonId : rest['aria-describedby']}
      className={`${buttonStyle({ variant, size, iconOnly: label !== undefined, disabled: Boolean(disabledReason) })} ${className ?? ''}`}
      onClick={isInert ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <Icon name="running" size={14} /> : icon && <Icon name={icon} size={size === 'sm' ? 14 : 16} />}
      {children}
      {trailing}
      {rest['aria-haspopup'] !== undefined && label === undefined && (
        <Icon name="chevronDown" size={12} className="opacity-70" />
      )}
      {disabledReason && (
        <span id={reasonId} hidden>
          {disabledReason}
        </span>
      )}
    </button>
  )
}
