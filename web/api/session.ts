import { useQuery } from '@tanstack/react-query'
import { mayAnywhere, mayEverywhere, mayIn } from '#contract/endpoint/permission.ts'
import type { Permission, Place } from '#contract/endpoint/permission.ts'
import { apiQuery } from './query.ts'
import { ApiError, lostAnswer, readFailure } from './client.ts'

/** The session; its data is undefined until it is loaded. */
export function useSession() {
  return useQuery(apiQuery('GET /session', {}))
}

/** Where a person signs in, to come back to an address of the console. */
export const signInAddress = (returnTo: string) => `/auth/login?returnTo=${encodeURIComponent(returnTo)}`

/** The same after a sign-out: the provider asks, even if it still knows the person who was here before. */
export const signInAfterSignOut = (returnTo: string) => `${signInAddress(returnTo)}&prompt=login`

/** Between the tabs of a browser. */
const SIGNED_IN = 'bundle-console.signed-in'

/** Tells the other tabs that this one has a session. */
export function announceSignIn(): void {
  const channel = new BroadcastChannel(SIGNED_IN)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
  channel.postMessage(null)
  channel.close()
}

/** Calls the listener when another tab has a session; returns how to stop. */
export function onSignInElsewhere(listener: () => void): () => void {
  const channel = new BroadcastChannel(SIGNED_IN)
  channel.addEventListener('message', listener)
  return () => channel.close()
}

let isReplacing = false

/** Reloads the page without a warning after another person has signed in, so that no data of the first one stays. */
export function reloadForAnotherPerson(): void {
  isReplacing = true
  location.reload()
}

/**
 * Leaves the page, without a warning, to sign in again as the same person and come back. What was typed must be kept
 * before.
 */
export function signInAgain(): void {
  isReplacing = true
  // a page from the browser's cache warns again
  addEventListener('pageshow', () => (isReplacing = false), { once: true })
  location.assign(`${signInAddress(location.pathname + location.search + location.hash)}&confirm=true`)
}

/** True while the page is being replaced on purpose. */
export const isReplacingPage = (): boolean => isReplacing

/** Whether the person has the permission at this place; `anywhere`: at any place; `everywhere`: without a limit. */
export function useMay(permission: Permission, place: Place | 'anywhere' | 'everywhere'): boolean {
  const grants = useSession().data?.grants ?? []
  if (place === 'anywhere') return mayAnywhere(grants, permission)
  if (place === 'everywhere') return mayEverywhere(grants, permission)
  return mayIn(grants, permission, place)
}

/**
 * Ends the session and leaves the console, by the address that ends the session of the identity provider, which returns
 * to the page of the sign-out. Rejects with an ApiError if the server did not confirm it. */
export async function signOut(): Promise<void> {
  const response = await fetch('/auth/logout', {
    method: 'POST',
    headers: { 'x-requested-by': 'console' },
    credentials: 'same-origin',
    redirect: 'manual',
  }).catch(() => {
    throw new ApiError(lostAnswer)
  })
  if (!response.ok) throw await readFailure(response)
  const { redirectTo } = (await response.json()) as { redirectTo: string }
  location.assign(redirectTo)
}
