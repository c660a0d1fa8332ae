import { isInterrupted } from './connection.ts'

const RETRY_MS = 1000

/**
 * Loads a part of the console, such as the code of a dialog. Waits while the console cannot be reached, so that pressing
 * a button without a connection does not lose the page. It waits before it loads, because Chromium (since version 150 at
 * the latest) never again fetches a script that it could not fetch. If the console can be reached and loading still fails, the
 * connection was lost in that moment, or a newer console was deployed since the page was opened: the page reloads. It
 * reloads only once a minute, so that a part that is really missing becomes an error instead of a loop.
 */
export async function loadWithRetry<Part>(load: () => Promise<Part>): Promise<Part> {
  if (isInterrupted()) await becomeReachable()
  try {
    return await load()
  } catch {
    await becomeReachable()
    return load().catch(reloadPage)
  }
}

async function becomeReachable(): Promise<void> {
  while (!(await isReachable())) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
}

/** A part is missing right after a reload: a newer console is being deployed, and not all servers have it yet. */
export class MissingPartError extends Error {}

const RELOADED = 'bundle-console.reloaded'
const RELOAD_INTERVAL_MS = 60_000

function reloadPage(error: unknown): Promise<never> {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_INTERVAL_MS)
    // the router would reload for the browser's own error, during a render, when no form can keep its input
    throw new MissingPartError('A part of the console could not be loaded.', { cause: error })
  sessionStorage.setItem(RELOADED, String(Date.now()))
  location.reload()
  return new Promise(() => undefined)
}

const isReachable = (): Promise<boolean> =>
  fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
