import type { ReactNode } from 'react'
import { cx } from './class-names.ts'
import { Icon, type IconName } from './Icon.tsx'
import type { Side } from './place-near.ts'
import { closePopup, Popup, type PopupTrigger } from './Popup.tsx'

/** A menu of actions: `<Menu label="…" renderTrigger={(props) => <Button {...props}>…</Button>}>` with `MenuItem`s. */
export function Menu({
  label,
  renderTrigger,
  side,
  children,
}: {
  label: string
  renderTrigger: (props: PopupTrigger) => ReactNode
  side?: Side
  children: ReactNode
}) {
  return (
    <Popup label={label} renderTrigger={renderTrigger} role="menu" side={side ?? 'bottom-end'}>
      {children}
    </Popup>
  )
}

const ITEM =
  'flex min-h-8 w-full items-center gap-2 rounded-md px-2 text-left outline-none hover:bg-hover focus-visible:bg-selected'

/** One of several items of which at most one is chosen. */
export function MenuRadio({
  checked,
  children,
  onSelect,
}: {
  checked: boolean
  children: ReactNode
  onSelect: () => void
}) {
  return (
    <button
      type="button"
      role="menuitemradio"
      aria-checked={checked}
      tabIndex={-1}
      className={ITEM}
      onClick={(event) => {
        closePopup(event.currentTarget)
        onSelect()
      }}
    >
      <span className="flex size-3.5 shrink-0">{checked && <Icon name="check" size={14} />}</span>
      <span className="min-w-0 flex-1">{children}</span>
    </button>
  )
}

export function MenuItem({
  icon,
  children,
  onSelect,
  danger = false,
  disabledReason,
}: {
  icon?: IconName
  children: ReactNode
  onSelect: () => void
  danger?: boolean
  /** Why the action is unavailable; shown below the label. */
  disabledReason?: string | false | null | undefined
}) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      aria-disabled={Boolean(disabledReason) || undefined}
      className={cx(ITEM, disabledReason ? 'py-1 text-faint' : danger && 'text-fail')}
      onClick={(event) => {
        if (disabledReason) return
        closePopup(event.currentTarget)
        onSelect()
      }}
    >
      {icon && <Icon name={icon} size={14} />}
      <span className="min-w-0">
        {children}
        {disabledReason && <span className="block max-w-56 text-xs">{disabledReason}</span>}
      </span>
    </button>
  )
}
