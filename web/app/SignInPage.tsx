import { useEffect, useState } from 'react'
import { signInAddress } from '../api/session.ts'
import { useText } from '../i18n/use-text.ts'
import { SignInCard } from '../layouts/SignInCard.tsx'

const KEY = 'sign-in.left-at'

/** A sign-in that ends without a session must not start again at once. */
const PAUSE_MS = 60_000

/**
 * Leads a new visit without a session straight to the sign-in, which returns to the requested page. If this tab was led
 * there a moment ago, it asks first.
 */
export function SignInPage() {
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
    <SignInCard title={t('shell.signIn.title')} message={t('shell.signIn.message')} returnTo={returnTo} />
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
