import { useLocation, useNavigate } from '@tanstack/react-router'
import type { CSSProperties, ReactNode, RefCallback } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { SearchInput } from '../../ui/filters/SearchInput.tsx'
import { FIRST_ITEMS, NearList } from '../../ui/NearList.tsx'
import { foundResources, type ResourceTexts } from './found-resources.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** What the resources of the page are searched for. */
    resources?: string
  }
}

/** A resource of a page, and its card. */
export type CardResource = ResourceTexts & { card: () => ReactNode }

/**
 * The resources of a bundle, each a card under a heading. Many of them can be searched, because find-in-page finds only
 * the titles of cards far from the window.
 */
export function ResourceCards({
  resources,
  heading,
  height,
}: {
  resources: readonly CardResource[]
  /** The heading of a card. */
  heading: 'h2' | 'h3'
  /** The class of the least height of a card with `--rows` properties. */
  height: string
}) {
  const t = useText()
  const [q, setQ] = useSearchText()
  const isLong = resources.length > FIRST_ITEMS
  const shown = isLong ? foundResources(resources, q) : resources
  return (
    <div className="space-y-4">
      {isLong && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <SearchInput value={q} label={t('common.resources.search')} onSearch={setQ} />
          <span role="status" className="text-muted">
            {q !== '' && t('common.resources.found', { shown: shown.length, all: resources.length })}
          </span>
        </div>
      )}
      {shown.length === 0 && q !== '' && (
        <EmptyState
          icon="search"
          title={t('common.list.filtered.title')}
          action={<Button onClick={() => setQ('')}>{t('common.clearSearch')}</Button>}
        />
      )}
      <NearList
        items={shown}
        keyOf={({ locator }) => locator}
        full={({ card }) => card()}
        brief={(resource, ref) => (
          <BriefCard ref={ref} heading={heading} height={height} resource={resource} />
        )}
      />
    </div>
  )
}

/** Where a card is, and its title in its place, which find-in-page and lists of headings need. */
function BriefCard({
  heading: Heading,
  height,
  resource: { title, definitions },
  ref,
}: {
  heading: 'h2' | 'h3'
  height: string
  resource: CardResource
  ref: RefCallback<HTMLElement>
}) {
  const rows = { '--rows': Math.max(1, Object.keys(definitions).length) } as CSSProperties
  return (
    <section
      ref={ref}
      aria-label={title}
      style={rows}
      className={cx('rounded-lg border border-line bg-surface px-4 py-2.5', height)}
    >
      <Heading className="pl-6 text-md font-semibold wrap-anywhere">{title}</Heading>
    </section>
  )
}

/** The history entry keeps the text: a person who follows a link of a card finds the same cards on the way back. */
function useSearchText(): [string, (q: string) => void] {
  const q = useLocation({ select: ({ state }) => state.resources ?? '' })
  const navigate = useNavigate()
  const setQ = (resources: string) =>
    void navigate({
      to: '.',
      search: true,
      replace: true,
      resetScroll: false,
      state: (state) => ({ ...state, resources }),
    })
  return [q, setQ]
}
