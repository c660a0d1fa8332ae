import type { ViewPage } from '#contract/console-api/pages/saved-views.ts'
import { useText } from '../../i18n/use-text.ts'
import { useViews } from './use-views.ts'

/** The name of the view that a list shows, and whether its filters differ from those of the view. */
export function ViewTitle({ page, search }: { page: ViewPage; search: string }) {
  const t = useText()
  const { current } = useViews(page, search)
  if (current === null) return t('common.views')
  return (
    <>
      <span className="sr-only">{t('views.current')} </span>
      <span className="max-w-56 truncate">{current.view.name}</span>
      {current.isModified && <span className="text-xs text-warn">{t('views.modified')}</span>}
    </>
  )
}
