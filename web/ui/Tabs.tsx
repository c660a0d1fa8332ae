import type { ReactNode } from 'react'
import { cx } from './class-names.ts'
import { PlainLink, type LinkTarget } from './Link.tsx'

export type Tab = {
  id: string
  label: ReactNode
  to: LinkTarget
  count?: ReactNode
}

/** Tabs are links: each has an address, so that it can be shared, opened in a new tab, and left with Back. */
export function Tabs({ label, tabs, current }: { label: string; tabs: readonly Tab[]; current: string }) {
  return (
    <nav aria-label={label} className="fade-end -mx-4 overflow-x-auto px-4 sm:mx-0 sm:px-0">
      <ul className="flex min-w-max gap-5 border-b border-line">
        {tabs.map((tab) => (
          <li key={tab.id}>
            <PlainLink
              to={tab.to}
              aria-current={tab.id === current ? 'page' : undefined}
              // the address of the first tab is a part of the others', which would make it current too
              activeOptions={{ exact: true }}
              className={cx(
                '-mb-px flex h-9 items-center gap-1.5 border-b-2 font-medium outline-offset-[-2px]',
                tab.id === current
                  ? 'border-ink text-ink'
                  : 'border-transparent text-muted hover:border-line-strong hover:text-ink',
              )}
            >
              {tab.label}
              {tab.count}
            </PlainLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}
