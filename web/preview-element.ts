import { isBrowser } from './environment.ts'

/** The page as the console's server has rendered it (`bff/document/preview.ts`), shown until this page is ready. */
export const previewElement = (): HTMLElement | null =>
  isBrowser ? document.getElementById('preview') : null

/** What was typed for the command palette in the preview that was removed; null if it was not opened there. */
let typed: string | null = null

export function removePreview(preview: HTMLElement): void {
  typed = preview.dataset['typed'] ?? null
  preview.remove()
}

/**
 * Calls the listener once with what was typed for the command palette in the preview, if it was opened there. Only after
 * the preview has been removed is all of it known: React lets keys through while it renders the page.
 */
export function takeTypedForPalette(listener: (text: string) => void): void {
  if (typed === null) return
  const text = typed
  typed = null
  listener(text)
}
