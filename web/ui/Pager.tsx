import type { ReactNode } from 'react'
import { useText } from '../i18n/use-text.ts'
import { buttonStyle } from './button-style.ts'
import { Icon } from './Icon.tsx'
import { PlainLink, type LinkTarget } from './Link.tsx'

/** The pager of a keyset list: previous and next links, without page numbers. */
export function Pager({
  previous,
  next,
  children,
}: {
  previous: LinkTarget | null
  next: LinkTarget | null
  /** At the left: how many rows are shown. */
  children?: ReactNode
}) {
  const t = useText()
  return (
    <nav aria-label={t('common.pager.label')} className="flex items-center justify-between gap-4">
      <span className="text-xs text-faint">{children}</span>
      <span className="flex gap-2">
        <PagerLink to={previous}>
          <Icon name="chevronLeft" size={14} />
          {t('common.pager.previous')}
        </PagerLink>
        <PagerLink to={next}>
          {t('common.pager.next')}
          <Icon name="chevronRight" size={14} />
        </PagerLink>
      </span>
    </nav>
  )
}

function PagerLink({ to, children }: { to: LinkTarget | null; children: ReactNode }) {
  const className = buttonStyle({ size: 'sm', disabled: to === null })
  if (to) {
    return (
      <PlainLink to={to} className={className}>
        {children}
      </PlainLink>
    )
  }
  return (
    <span aria-disabled="true" className={className}>
      {children}
    </span>
  )
}
