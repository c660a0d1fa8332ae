/** The id of the element; `web/app/preview.ts` removes it. */
const ELEMENT_ID = 'preview'

/**
 * Shows the preview at once, when all of it has arrived. Applies the styles of single elements, which the content security
 * policy blocks in HTML. Keeps Ctrl+K (Cmd+K) and what is typed after it for the command palette of the page.
 */
export const PREVIEW_SCRIPT = `{
  const preview = document.getElementById('${ELEMENT_ID}')
  const kept = preview.dataset
  for (const element of preview.querySelectorAll('[data-style]')) element.style.cssText = element.dataset.style
  preview.hidden = false
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

/**
 * The page as the console's server has rendered it. The browser shows it until its own page is ready; until then only its
 * links work.
 */
export const preview = (html: string): string =>
  `<div id="${ELEMENT_ID}" hidden>${html}</div><script>${PREVIEW_SCRIPT}</script>`
