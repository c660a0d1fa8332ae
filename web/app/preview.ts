import { useLayoutEffect } from 'react'
import { previewElement } from '../preview-element.ts'

/**
 * Replaces the server's rendering by this page, in the frame in which this page appears. As the first element of the page,
 * it acts before other elements measure their place.
 */
export function ReplacePreview() {
  useLayoutEffect(() => previewElement()?.remove(), [])
  return null
}
