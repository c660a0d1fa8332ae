import { Suspense, useState } from 'react'
import { viewSearch, type ViewPage } from '#contract/console-api/pages/saved-views.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { lazyPart } from '../../base/lazy-part.ts'
import type { ViewDialogProps } from './ViewDialog.tsx'
import { ViewItems } from './ViewItems.tsx'
import { useViews } from './use-views.ts'

const ViewDialog = lazyPart(async () => (await import('./ViewDialog.tsx')).ViewDialog)

/** In the head of a list: shows which view they are, chooses another one, and saves them as a view. */
export function ViewsMenu({ page, search: parameters }: { page: ViewPage; search: object }) {
  const t = useText()
  const search = viewSearch({ ...parameters })
  const [dialog, setDialog] = useState<ViewDialogProps['task'] | null>(null)
  return (
    <>
      <Menu
        label={t('common.views')}
        renderTrigger={(props) => (
          <Button {...props} icon="bookmark" className="max-w-full">
            {search === '' ? t('common.views') : <ViewTitle page={page} search={search} />}
          </Button>
        )}
        side="bottom-start"
      >
        <ViewItems page={page} search={search} onDialog={setDialog} />
      </Menu>
      {dialog !== null && (
        <Suspense>
          <ViewDialog task={dialog} page={page} search={search} onClose={() => setDialog(null)} />
        </Suspense>
      )}
    </>
  )
}

/** The name of the view that a list shows, and whether its filters differ from those of the view. */
function ViewTitle({ page, search }: { page: ViewPage; search: string }) {
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
