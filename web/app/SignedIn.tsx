import { useQueryClient } from '@tanstack/react-query'
import {
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react'
import type { Session } from '#contract/console-api/rows.ts'
import { mayAnywhere, mayIn } from '#contract/endpoint/permission.ts'
import { useConnection } from '../base/connection.ts'
import { sendAs } from '../api/client.ts'
import { startLiveUpdates } from '../api/live.ts'
import {
  announceSignIn,
  reloadForAnotherPerson,
  useSession,
  onSignInElsewhere,
  signInAddress,
  signOut,
} from '../api/session.ts'
import { useErrorView } from '../i18n/describe-code.ts'
import { countFailure, tellOperation, watchAs } from '../subjects/alerts/alerts.ts'
import { currentText, useText } from '../i18n/use-text.ts'
import { ShellContext, type ShellContextValue } from '../subjects/shell/shell-context.ts'
import { lazyPart } from '../base/lazy-part.ts'
import { loadWithRetry } from '../base/load-with-retry.ts'
import { ErrorState } from '../ui/ErrorState.tsx'
import { isSignedOut } from './query-client.ts'
import { Button } from '../ui/Button.tsx'
import { buttonStyle } from '../ui/button-style.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Icon } from '../ui/Icon.tsx'
import { SignInCard } from '../layouts/SignInCard.tsx'

const SignOutDialog = lazyPart(
  async () => (await import('../pages/signed-out/SignOutDialog.tsx')).SignOutDialog,
)

/** Shows the console to a person who is signed in. The page stays when the session is lost later. */
export function SignedIn({ children }: { children: ReactNode }) {
  const session = useSession()
  const error = useErrorView(session.error)
  const isLost = isSignedOut(session.error)
  if (isLost && !session.data) {
    return <SignInPage />
  }
  // until the session is known, the frame and the page's skeleton are shown
  if (session.data || !error) {
    return (
      <WithSession session={session.data} isLost={isLost}>
        {children}
      </WithSession>
    )
  }
  return (
    <main className="mx-auto max-w-2xl p-6 pt-16">
      <ErrorState error={error} retrying={session.isFetching} onRetry={() => void session.refetch()} />
    </main>
  )
}

function WithSession({
  session,
  isLost,
  children,
}: {
  session: Session | undefined
  isLost: boolean
  children: ReactNode
}) {
  const stream = useConnection()
  const [isSignOutOpen, setSignOutOpen] = useState(false)
  useLiveWhile(session !== undefined && !isLost)
  useReloadForAnotherPerson(session)
  const personId = session?.user.id
  useEffect(() => {
    if (personId === undefined || isLost) return
    watchAs(personId)
    announceSignIn()
  }, [personId, isLost])
  const client = useQueryClient()
  const search = useCallback(
    async (text: string, signal: AbortSignal) => {
      const { searchEverything } = await loadWithRetry(() => import('./palette-search.ts'))
      return searchEverything(text, { t: currentText(), client, signal })
    },
    [client],
  )
  const value = useMemo<ShellContextValue>(() => {
    const grants = session?.grants ?? []
    return {
      user: session?.user ?? null,
      roles: session?.roles ?? [],
      environmentMarks: session?.environmentMarks ?? [],
      can: (permission, place) =>
        place ? mayIn(grants, permission, place) : mayAnywhere(grants, permission),
      connection: stream === 'connecting' || stream === 'open' || isLost ? 'live' : stream,
      signOut: () => void signOut().catch(() => setSignOutOpen(true)),
      search,
    }
  }, [session, stream, isLost, search])
  return (
    <ShellContext value={value}>
      {children}
      {isLost && <SessionLostDialog />}
      {isSignOutOpen && (
        <Suspense>
          <SignOutDialog onClose={() => setSignOutOpen(false)} />
        </Suspense>
      )}
    </ShellContext>
  )
}

/** Follows the events during a session. When a session returns, the data may be outdated or another person's. */
function useLiveWhile(isSignedIn: boolean) {
  const client = useQueryClient()
  const wasSignedIn = useRef(false)
  useEffect(() => {
    if (!isSignedIn) return
    if (wasSignedIn.current) void client.invalidateQueries()
    wasSignedIn.current = true
    return startLiveUpdates(client, (operation) => {
      countFailure(operation)
      tellOperation(operation)
    })
  }, [client, isSignedIn])
}

/**
 * Another person may sign in while the page still contains data of the first one: after a lost session, or in another tab. The next
 * request of the page is refused then, and the session is read again.
 */
function useReloadForAnotherPerson(session: Session | undefined) {
  const first = useRef<string>(undefined)
  const id = session?.user.id
  useLayoutEffect(() => {
    if (id === undefined) return
    first.current ??= id
    if (first.current !== id) reloadForAnotherPerson()
    else sendAs(id)
  }, [id])
}

/** Shown when the session ends while the page is in use: the person signs in beside the page and continues in it. */
function SessionLostDialog() {
  const t = useText()
  const session = useSession()
  const { refetch } = session
  useEffect(() => onSignInElsewhere(() => void refetch()), [refetch])
  return (
    <Dialog
      open
      onClose={() => void session.refetch()}
      title={t('shell.sessionLost.title')}
      size="sm"
      footer={
        <>
          <Button busy={session.isFetching} onClick={() => void session.refetch()}>
            {t('shell.sessionLost.continue')}
          </Button>
          <a
            href={signInAddress(location.pathname + location.search + location.hash)}
            target="_blank"
            rel="opener"
            className={buttonStyle({ variant: 'primary' })}
          >
            {t('shell.signedOut.signIn')}
            <Icon name="external" size={14} />
          </a>
        </>
      }
    >
      <p>{t('shell.sessionLost.message')}</p>
    </Dialog>
  )
}

const KEY = 'sign-in.left-at'

/** A sign-in that ends without a session must not start again at once. */
const PAUSE_MS = 60_000

/**
 * Leads a new visit without a session straight to the sign-in, which returns to the requested page. If this tab was led
 * there a moment ago, it asks first.
 */
function SignInPage() {
  const t = useText()
  const [leaves] = useState(mayLeave)
  const returnTo = location.pathname + location.search + location.hash
  useEffect(() => {
    // replaces this page, so that "back" does not lead here and away again
    if (!leaves) return
    sessionStorage.setItem(KEY, String(Date.now()))
    location.replace(signInAddress(returnTo))
  }, [leaves, returnTo])
  if (leaves) return null
  return (
    <SignInCard
      title={t('shell.signIn.title')}
      message={t('shell.signIn.message')}
      signIn={signInAddress(returnTo)}
    />
  )
}

/**
 * Whether this tab may go to the sign-in without a press; false if it cannot note that. Notes nothing itself, because
 * React may render a page, discard it, and render it again.
 */
function mayLeave(): boolean {
  try {
    const leftAt = Number(sessionStorage.getItem(KEY) ?? 0)
    sessionStorage.setItem(KEY, String(leftAt))
    return Math.abs(Date.now() - leftAt) >= PAUSE_MS
  } catch {
    return false
  }
}
