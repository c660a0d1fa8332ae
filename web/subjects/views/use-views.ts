import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import type { ViewPage } from '#contract/console-api/pages/saved-views.ts'
import { apiQuery } from '../../api/query.ts'
import { useText } from '../../i18n/use-text.ts'
import { useShell } from '../shell/shell-context.ts'
import { useNow } from '../../ui/use-now.ts'
import { currentView, readyMadeViews, savedView } from './views.ts'

/** The views of a page, and the one that its list shows. */
export function useViews(page: ViewPage, search: string) {
  const t = useText()
  const { user } = useShell()
  const now = useNow(60_000)
  const saved = useQuery(apiQuery('GET /saved-views', {}))
  const chosen = useLocation({ select: ({ state }) => state.viewId })
  const all = [
    ...readyMadeViews(t, { userId: user?.id ?? null, now }),
    ...(saved.data?.items.map(savedView) ?? []),
  ]
  const views = all.filter((view) => view.page === page)
  return { saved, views, current: currentView(views, search, chosen) }
}
