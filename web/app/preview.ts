import { useLayoutEffect } from 'react'
import { previewElement, removePreview } from '../preview-element.ts'

/**
 * Replaces the server's rendering by this page, in the frame in which this page appears. As the first element of the page,
 * it acts before other elements measure their place. The page is scrolled as the preview was, and the link with the focus
 * keeps it.
 */
export function ReplacePreview() {
  useLayoutEffect(() => {
    const preview = previewElement()
    if (preview === null) return
    const restorePlace = placeIn(preview)
    removePreview(preview)
    // the router scrolls to the top after its first render
    requestAnimationFrame(restorePlace)
  }, [])
  return null
}

/** Remembers where the person is in the preview. Returns what goes there in the page. */
function placeIn(preview: HTMLElement): () => void {
  const top = window.scrollY
  const focused = document.activeElement
  const address = preview.contains(focused) ? (focused?.getAttribute('href') ?? null) : null
  const linksIn = (place: ParentNode) =>
    [...place.querySelectorAll('a')].filter((link) => link.getAttribute('href') === address)
  // links to the same address are in the same order
  const index = address === null ? -1 : linksIn(preview).findIndex((link) => link === focused)
  return () => {
    if (top > 0) window.scrollTo({ top, behavior: 'instant' })
    if (index >= 0 && document.activeElement === document.body)
      linksIn(document)[index]?.focus({ preventScroll: true })
  }
}
