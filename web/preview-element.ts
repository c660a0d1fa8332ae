import { isBrowser } from './environment.ts'

/** The page as the console's server has rendered it (`bff/document/preview.ts`), shown until this page is ready. */
export const previewElement = (): HTMLElement | null =>
  isBrowser ? document.getElementById('preview') : null

/** What was typed for the command palette before this page was ready; null if it was not opened. */
export const typedForPalette = (): string | null => previewElement()?.dataset['typed'] ?? null
