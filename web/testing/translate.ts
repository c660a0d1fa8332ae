const SKIPPED = 'font, script, style, textarea, [contenteditable]'

/**
 * Translates a page as browsers do, except that the texts stay the same: each text node is replaced by two nested `<font>` elements,
 * also those that appear later. Returns a function that stops it.
 *
 * @param how `replace` puts the elements in its place at once, `insert` puts them beside it and then takes it out,
 * `move` puts the node itself into
 *   them.
 */
export function translate(root: HTMLElement, how: 'replace' | 'insert' | 'move'): () => void {
  const wrap = (text: Text): void => {
    const { parentNode } = text
    if (parentNode === null || text.parentElement?.closest(SKIPPED) || text.data.trim() === '') return
    const outer = document.createElement('font')
    const inner = outer.appendChild(document.createElement('font'))
    if (how === 'move') {
      text.replaceWith(outer)
      inner.append(text)
      return
    }
    inner.append(text.data)
    if (how === 'replace') text.replaceWith(outer)
    else {
      text.before(outer)
      text.remove()
    }
  }
  const wrapAll = () => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const texts: Text[] = []
    while (walker.nextNode()) texts.push(walker.currentNode as Text)
    for (const text of texts) wrap(text)
  }
  wrapAll()
  const observer = new MutationObserver(wrapAll)
  observer.observe(root, { childList: true, subtree: true, characterData: true })
  return () => observer.disconnect()
}
