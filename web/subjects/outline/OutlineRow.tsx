import type { ReactNode } from 'react'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import { kindIcon } from '../../forms/property/property-labels.ts'
import { useText } from '../../i18n/use-text.ts'
import { cx } from '../../ui/class-names.ts'
import { Icon } from '../../ui/Icon.tsx'

/** The look of a row of an outline, which is a link or a button. */
export const OUTLINE_ROW = 'flex min-h-8 items-center gap-2 rounded-md px-2 py-1'

/** A resource in an outline: its kind, its title, and at the end what is to be known of it. */
export function OutlineResource({
  kind,
  name,
  title,
  children,
}: {
  kind: ResourceKind
  /** Its name, for those who point at the title. */
  name: string
  title: ReactNode
  children: ReactNode
}) {
  const t = useText()
  return (
    <>
      <Icon name={kindIcon[kind]} size={14} className="text-faint" />
      <span className="sr-only">{t(`vocabulary.kind.${kind}`)}</span>
      <span className="min-w-0 flex-1 truncate" title={name}>
        {title}
      </span>
      {children}
    </>
  )
}

/** How many properties of a resource are invalid, still missing, or edited; nothing for none. */
export function OutlineCount({
  of,
  n,
  text,
}: {
  of: 'invalid' | 'missing' | 'edited'
  n: number
  /** For screen readers. */
  text: string
}) {
  if (n === 0) return null
  const isEdited = of === 'edited'
  return (
    <span
      className={cx(
        'inline-flex items-center text-xs',
        isEdited
          ? 'h-4.5 min-w-4.5 justify-center rounded-full bg-accent-tint px-1.5 font-semibold text-accent tabular-nums'
          : 'gap-1 font-medium',
        of === 'invalid' && 'text-fail',
        of === 'missing' && 'text-doubt',
      )}
    >
      {!isEdited && <Icon name={of === 'invalid' ? 'failed' : 'edit'} size={12} />}
      <span aria-hidden="true">{n}</span>
      <span className="sr-only">{text}</span>
    </span>
  )
}
