import { languageTag } from '../oidc/language.ts'
import type { Language } from '../oidc/language.ts'

/** The id of the element; `web/preview-element.ts` finds it. */
const ELEMENT_ID = 'preview'
/** What the preview shows while its scripts cannot be loaded; `web/server/LostNotice.tsx` has it. */
const NOTICE = '[data-lost]'

/**
 * Shows the preview at once, when all of it has arrived, and starts the page when it is painted: the scripts of the page
 * would keep the browser from painting. Applies the styles of single elements, which the content security policy blocks in
 * HTML. The document is in the language of the preview: styles and screen readers depend on it. If a script cannot be
 * loaded, says so and reloads when the server responds again, at most once a minute together with `web/load-with-retry.ts`. Keeps Ctrl+K (Cmd+K) and what is
 * typed after it for the command palette of the page.
 */
export const PREVIEW_SCRIPT = `{
  const preview = document.getElementById('${ELEMENT_ID}')
  const kept = preview.dataset
  for (const element of preview.querySelectorAll('[data-style]')) element.style.cssText = element.dataset.style
  document.documentElement.lang = preview.lang
  preview.hidden = false
  const start = () => import(kept.entry).catch((error) => {
    // any other error is one of the browser, which a reload would not repair
    if (error instanceof TypeError) setTimeout(reload, 1_000)
  })
  async function reload() {
    preview.querySelector('${NOTICE}').hidden = false
    const isThere = await fetch(kept.entry, { method: 'HEAD', cache: 'no-store' }).then(() => true, () => false)
    const key = 'bundle-console.reloaded'
    if (!isThere || Date.now() - Number(sessionStorage.getItem(key)) < 60_000) return setTimeout(reload, 2_000)
    sessionStorage.setItem(key, String(Date.now()))
    location.reload()
  }
  // a hidden page has no frames
  if (document.hidden) start()
  else requestAnimationFrame(() => setTimeout(start))
  addEventListener('keydown', function keep(event) {
    if (!preview.isConnected) return removeEventListener('keydown', keep)
    const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event
    const isModified = ctrlKey || metaKey || altKey
    if ((ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k') kept.typed ??= ''
    else if (kept.typed === undefined || isModified || isComposing) return
    else if (key === 'Escape') delete kept.typed
    else if (key === 'Backspace') kept.typed = kept.typed.slice(0, -1)
    else if (key.length === 1) kept.typed += key
    else return
    event.preventDefault()
  })
}`

/** Starts the page of a document without a preview. */
export const startScript = (entry: string): string =>
  `<script type="module" crossorigin src="${entry}"></script>`

/**
 * The page as the console's server has rendered it. The browser shows it until its own page is ready; until then only its
 * links work.
 */
export const preview = (html: string, language: Language, entry: string): string =>
  `<div id="${ELEMENT_ID}" lang="${languageTag(language)}" data-entry="${entry}" hidden>${html}</div><script>${PREVIEW_SCRIPT}</script>`
