import { useBlocker } from '@tanstack/react-router'
import { useText } from '../../i18n/use-text.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { useUnloadGuard } from './use-unload-guard.ts'

type Location = { pathname: string; search: object }

/**
 * Asks for confirmation before a link or the browser's Back button leaves a page whose form has unsaved input. A
 * navigation after a submit passes `ignoreBlocker`. When the tab is closed or reloaded, the browser asks.
 */
export function LeaveGuard({
  isDirty,
  isSamePage,
}: {
  isDirty: boolean
  /** Whether an address still shows the form. */
  isSamePage: (next: Location) => boolean
}) {
  const t = useText()
  useUnloadGuard(isDirty)
  const blocker = useBlocker({
    shouldBlockFn: ({ next }) => !isSamePage(next),
    disabled: !isDirty,
    enableBeforeUnload: false,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      open={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      onConfirm={() => blocker.proceed?.()}
      title={t('common.form.leave.title')}
      confirm={t('common.form.leave.confirm')}
      cancel={t('common.form.leave.stay')}
      danger
      busy={false}
      error={null}
    >
      <p>{t('common.form.leave.message')}</p>
    </ConfirmDialog>
  )
}
