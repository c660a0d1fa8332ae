import { useNavigate, type NavigateOptions } from '@tanstack/react-router'
import { Fragment, useId, type ReactNode } from 'react'
import type { ViewPage } from '#contract/console-api/pages/saved-views.ts'
import type { SavedView } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { useText } from '../../i18n/use-text.ts'
import { useShell } from '../shell/shell-context.ts'
import { Icon } from '../../ui/Icon.tsx'
import { MenuItem, MenuRadio } from '../../ui/Menu.tsx'
import { showToast } from '../../ui/toast.ts'
import { errorView, useErrorView } from '../../i18n/describe-code.ts'
import { useViews } from './use-views.ts'
import type { ViewDialogProps } from './ViewDialog.tsx'
import { viewLink, type View } from './views.ts'

/** The content of the menu of views: the views of the page, then what can be done with the current filters. */
export function ViewItems({
  page,
  search,
  onDialog,
}: {
  page: ViewPage
  search: string
  onDialog: (task: ViewDialogProps['task']) => void
}) {
  const t = useText()
  const navigate = useNavigate()
  const { user } = useShell()
  const { saved, views, current } = useViews(page, search)
  const error = useErrorView(saved.error)
  const save = useWrite('PUT /saved-views/{viewId}', { invalidates: ['GET /saved-views'] })
  const open = (view: View) => {
    // `web/addresses/paths.ts` has checked the target
    void navigate(viewLink(view) as unknown as NavigateOptions)
  }
  const put = async (view: SavedView, changes: { search: string } | { shared: boolean }, done: string) => {
    try {
      await save.mutateAsync({ params: { viewId: view.viewId }, body: { page, ...changes } })
      showToast({ text: done })
    } catch (thrown) {
      const { title, message } = errorView(thrown)
      showToast({ tone: 'error', text: message === '' ? title : message })
    }
  }
  const isOwn = (view: View) => view.saved !== null && view.saved.owner.id === user?.id
  const groups = [
    { title: t('views.ready'), views: views.filter((view) => view.saved === null) },
    { title: t('views.own'), views: views.filter(isOwn) },
    { title: t('views.shared'), views: views.filter((view) => view.saved !== null && !isOwn(view)) },
  ].filter((group) => group.views.length > 0)
  const mine = current?.view.saved?.editable === true ? current.view.saved : null
  const isModified = current?.isModified === true
  return (
    <div className="w-72 max-w-[calc(100vw-2rem)]">
      {groups.map((group) => (
        <Group key={group.title} title={group.title}>
          {group.views.map((view) => (
            <MenuRadio
              key={view.id}
              checked={view.id === current?.view.id && !isModified}
              onSelect={() => open(view)}
            >
              <span className="flex min-w-0 items-center gap-1.5">
                <span className="truncate">{view.name}</span>{' '}
                {view.saved?.shared === true && (
                  <span className="shrink-0 text-xs text-faint">
                    {isOwn(view) ? t('views.isShared') : view.saved.owner.name}
                  </span>
                )}
              </span>
            </MenuRadio>
          ))}
        </Group>
      ))}
      {error && (
        <p role="alert" className="flex gap-2 px-2 py-1 text-xs text-muted">
          <Icon name="warning" size={14} className="text-warn" />
          {t('views.failed', { reason: error.message })}
        </p>
      )}
      <div className="mt-1 border-t border-line pt-1">
        {mine !== null && isModified && (
          <MenuItem
            icon="check"
            onSelect={() => void put(mine, { search }, t('views.updated', { name: mine.name }))}
          >
            {t('views.update', { name: mine.name })}
          </MenuItem>
        )}
        <MenuItem
          icon="plus"
          disabledReason={search === '' && t('views.save.nothing')}
          onSelect={() => onDialog({ kind: 'save' })}
        >
          {t('views.save')}
        </MenuItem>
        {mine !== null && (
          <Fragment key={mine.viewId}>
            <MenuItem
              icon="person"
              onSelect={() =>
                void put(
                  mine,
                  { shared: !mine.shared },
                  t(mine.shared ? 'views.unshared' : 'views.nowShared', { name: mine.name }),
                )
              }
            >
              {t(mine.shared ? 'views.unshare' : 'views.share')}
            </MenuItem>
            <MenuItem icon="edit" onSelect={() => onDialog({ kind: 'rename', view: mine })}>
              {t('views.rename')}
            </MenuItem>
            <MenuItem icon="close" danger onSelect={() => onDialog({ kind: 'delete', view: mine })}>
              {t('views.delete')}
            </MenuItem>
          </Fragment>
        )}
      </div>
    </div>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- inside a menu
    <div role="group" aria-labelledby={id} className="mb-1">
      <p id={id} className="px-2 py-1 text-xs font-medium text-faint">
        {title}
      </p>
      {children}
    </div>
  )
}
