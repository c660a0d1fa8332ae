const CAN_BE_CUT = ".truncate, [class*='line-clamp'], .list-cell"
/** Marks titles that were set here. */
const MARK = 'data-cut'

/**
 * While the pointer is on a text that does not fit, its title is the whole text. An element with a title, in or around it, keeps
 * that one.
 *
 * @returns stops it
 */
export function titleCutTexts(): () => void {
  const enter = ({ target }: PointerEvent) => {
    const text = target instanceof Element ? target.closest<HTMLElement>(CAN_BE_CUT) : null
    if (text === null) return
    // the text or the width may have changed since
    if (text.hasAttribute(MARK)) text.removeAttribute('title')
    const isCut = text.scrollWidth > text.clientWidth || text.scrollHeight > text.clientHeight + 1
    if (!isCut || text.closest('[title]') !== null || text.querySelector('[title]') !== null) return
    text.setAttribute(MARK, '')
    text.title = text.innerText
  }
  document.addEventListener('pointerover', enter)
  return () => document.removeEventListener('pointerover', enter)
}
