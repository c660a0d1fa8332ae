import { useBlocker, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { isReplacingPage } from '../../api/session.ts'

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

interface PageGuardProps {
  isActive: boolean
  /** Called before another page is shown, which waits until `decide` says whether to stay. */
  onLeave: (decide: (isStaying: boolean) => void) => void
}

/** Stops a navigation to another page until the person has decided. It does nothing where there is no router. */
export function PageGuard(props: PageGuardProps) {
  // null outside of the router, whatever its type says: a failed sign-out is shown there
  const router = useRouter({ warn: false }) as ReturnType<typeof useRouter> | null
  return router && <RouterGuard {...props} />
}

function RouterGuard({ isActive, onLeave }: PageGuardProps) {
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      next.pathname !== current.pathname && new Promise<boolean>((resolve) => onLeave(resolve)),
    disabled: !isActive,
    enableBeforeUnload: false,
  })
  return null
}

/** Makes the browser ask before a tab with unsaved input is closed or reloaded. */
export function useUnloadGuard(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return
    const confirmUnload = (event: BeforeUnloadEvent) => {
      if (!isReplacingPage()) event.preventDefault()
    }
    addEventListener('beforeunload', confirmUnload)
    return () => removeEventListener('beforeunload', confirmUnload)
  }, [isDirty])
}
