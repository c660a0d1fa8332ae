import { useBlocker, useRouter } from '@tanstack/react-router'

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
