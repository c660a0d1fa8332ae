/** How long a sign-in counts as recent, unless RECENT_SIGN_IN_SECONDS says otherwise. */
export const RECENT_SIGN_IN_SECONDS = 300

/** The clock that said when may be ahead by this much. A time after that is wrong, and proves nothing. */
const TOLERANCE_SECONDS = 60

/**
 * Whether a person signed in recently.
 *
 * @param secondsAgo when the identity provider authenticated them; null if it did not say.
 */
export function isRecentSignIn(secondsAgo: number | null, limitSeconds: number): boolean {
  return secondsAgo !== null && secondsAgo <= limitSeconds && secondsAgo >= -TOLERANCE_SECONDS
}
