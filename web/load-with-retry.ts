import { lazy } from 'react'

const RETRY_MS = 1000

/**
 * Fetches a part of the console, such as a dialog's code. While the console cannot be reached it is asked for again until
 * it comes: whoever presses a button on a lost connection waits, and does not lose the page. Where the console can be
 * reached and the part still does not come, the console was built anew since the page was opened, and the page is loaded
 * again; once, so that a part that is really missing is told and not asked for without end.
 */
export async function loadWithRetry<Part>(load: () => Promise<Part>): Promise<Part> {
  for (;;) {
    try {
      return await load()
    } catch {
      if (await isReachable()) return load().catch(reloadPage)
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

const RELOADED = 'bundle-console.reloaded'
const RELOAD_INTERVAL_MS = 60_000

function reloadPage(error: unknown): Promise<never> {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_INTERVAL_MS) throw error
  sessionStorage.setItem(RELOADED, String(Date.now()))
  location.reload()
  return new Promise(() => undefined)
}

/** `lazy` of React, with a part that is fetched as above. */
export const lazyWithRetry: typeof lazy = (load) => lazy(() => loadWithRetry(load))

const isReachable = (): Promise<boolean> =>
  fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
