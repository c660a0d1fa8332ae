import { Suspense, useState } from 'react'
import { viewSearch, type ViewPage } from '#contract/console-api/pages/saved-views.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { lazyForm, lazyPart } from '../lazy-part.ts'
import type { ViewDialogProps } from './ViewDialog.tsx'

const ViewItems = lazyPart(async () => (await import('./view-parts.ts')).ViewItems, ['views'])
const ViewTitle = lazyPart(async () => (await import('./view-parts.ts')).ViewTitle, ['views'])
const ViewDialog = lazyForm(async () => (await import('./ViewDialog.tsx')).ViewDialog, ['views'])

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
          <Button {...props} {...ViewItems.onIntent} icon="bookmark" className="max-w-full">
            {search === '' ? (
              t('common.views')
            ) : (
              <Suspense fallback={t('common.views')}>
                <ViewTitle page={page} search={search} />
              </Suspense>
            )}
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
