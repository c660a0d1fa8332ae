import { ApiError, lostAnswer, readFailure } from './client.ts'

/** Ends the session and leaves the console. Rejects with an ApiError if the server did not confirm it. */
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
  location.assign('/signed-out')
}
