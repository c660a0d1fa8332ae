import { useNavigate, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { pages } from '#contract/console-api/pages/pages.ts'
import { notUnderstood, type Raw } from '#contract/console-api/pages/search-params.ts'
import { useText } from '../i18n/use-text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Page } from './Page.tsx'

/**
 * The page, unless its address has a filter that the page does not understand: then it says which, and shows nothing. A list without
 * that filter would be taken for the filtered one.
 */
export function Understood({ children }: { children: ReactNode }) {
  const t = useText()
  const navigate = useNavigate()
  const others = useRouterState({
    select: ({ matches }) => {
      const match = matches.at(-1)
      const path = match?.staticData.path
      if (path === undefined) return NONE
      const { search, filters } = pages[path]
      return notUnderstood(search, match?.search as Raw, filters)
    },
    structuralSharing: true,
  })
  if (others.length === 0) return children
  const names = new Set(others.map(({ name }) => name))
  return (
    <Page title={t('shell.filters.title')}>
      <EmptyState
        icon="filter"
        title={t('shell.filters.heading', { n: others.length })}
        message={
          <>
            {t('shell.filters.message')}
            <ul className="mt-3 space-y-1">
              {others.map(({ name, value }) => (
                <li key={name} className="mono wrap-anywhere text-ink">
                  {name} = {value}
                </li>
              ))}
            </ul>
          </>
        }
        action={
          <Button
            onClick={() =>
              void navigate({
                to: '.',
                search: (all: object) =>
                  Object.fromEntries(Object.entries(all).filter(([name]) => !names.has(name))),
                replace: true,
              })
            }
          >
            {t('shell.filters.remove', { n: others.length })}
          </Button>
        }
      />
    </Page>
  )
}

const NONE: readonly { name: string; value: string }[] = []
