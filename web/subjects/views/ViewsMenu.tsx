import { Suspense, useState } from 'react'
import { viewSearch, type ViewPage } from '#contract/console-api/pages/saved-views.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { lazyPart } from '../../base/lazy-part.ts'
import type { ViewDialogProps } from './ViewDialog.tsx'
import { ViewItems } from './ViewItems.tsx'
import { ViewTitle } from './ViewTitle.tsx'

const ViewDialog = lazyPart(async () => (await import('./ViewDialog.tsx')).ViewDialog)

/** Beside the filters of a list: shows which view they are, chooses another one, and saves them as a view. */
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
