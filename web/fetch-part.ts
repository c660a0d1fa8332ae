import { lazy } from 'react'

const AGAIN_MS = 1000

/**
 * Fetches a part of the console, such as a dialog's code. While the console cannot be reached it is asked for again until
 * it comes: whoever presses a button on a lost connection waits, and does not lose the page. Where the console can be
 * reached and the part still does not come, it is of another version, and only a reload helps: then it fails.
 */
export async function fetchPart<Part>(load: () => Promise<Part>): Promise<Part> {
  for (;;) {
    try {
      return await load()
    } catch {
      if (await isReachable()) return load()
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
}

/** `lazy` of React, with a part that is fetched as above. */
export const lazyPart: typeof lazy = (load) => lazy(() => fetchPart(load))

const isReachable = (): Promise<boolean> =>
  fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
