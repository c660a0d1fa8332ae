import { Link as RouterLink, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { IntentListeners } from '../base/lazy-part.ts'
import { useAsOf } from './as-of.ts'
import { buttonStyle, type ButtonSize, type ButtonVariant } from './button-style.ts'
import { cx } from './class-names.ts'
import { Icon, type IconName } from './Icon.tsx'

/** A link target, made by `web/addresses/paths.ts`, where the compiler checks routes, parameters and search. */
export type LinkTarget = {
  to: string
  params?: Readonly<Record<string, string>>
  search?: object
  hash?: string
  /** The page stays where it is scrolled to. */
  resetScroll?: false
  /** What the history entry remembers; true keeps it. */
  state?: true | { viewId: string }
}

type Own = Partial<IntentListeners> & {
  to: LinkTarget
  children: ReactNode
  className?: string | undefined
  'aria-label'?: string | undefined
  'aria-current'?: 'page' | undefined
  onClick?: () => void
  tabIndex?: number
  /** Loads nothing before the press. */
  preload?: false
  /** The path must be the same for the link to be that to the current page. */
  activeOptions?: { exact: true }
}

/** A link without styles; in a stored document its text only. */
export function PlainLink({ to, ...rest }: Own) {
  if (useAsOf() !== null) return <span>{rest.children}</span>
  // `web/addresses/paths.ts` has checked the target
  const target = to as unknown as LinkProps
  return <RouterLink {...target} {...rest} />
}

const TEXT_LINK =
  // a list with a link in each row is calm
  'target rounded-sm font-medium text-accent underline decoration-accent/35 underline-offset-3 hover:decoration-accent [.list-cell_&]:text-ink [.list-cell_&]:decoration-line-strong [.list-cell_&]:hover:decoration-accent'

/** A link in text and tables. */
export function TextLink({ className, ...rest }: Own) {
  return <PlainLink {...rest} className={cx(TEXT_LINK, className)} />
}

/** A link out of the console, to an address that the contract has checked. */
export function ExternalLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className={TEXT_LINK}>
      {children}
    </a>
  )
}

export function LinkButton({
  variant,
  size,
  icon,
  children,
  className,
  ...rest
}: Own & { variant?: ButtonVariant; size?: ButtonSize; icon?: IconName }) {
  return (
    <PlainLink {...rest} className={cx(buttonStyle({ variant, size }), className)}>
      {icon && <Icon name={icon} size={size === 'sm' ? 14 : 16} />}
      {children}
    </PlainLink>
  )
}
