const CAN_BE_CUT = ".truncate, [class*='line-clamp'], .list-cell"

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
    const isCut =
      text.scrollWidth > text.clientWidth ||
      text.scrollHeight > text.clientHeight + 1 ||
      // a card has room for it
      [...text.querySelectorAll('.segment-middle')].some(
        (middle) => getComputedStyle(middle).fontSize === '0px',
      )
    if (!isCut || text.closest('[title]') !== null || text.querySelector('[title]') !== null) return
    const whole = text.innerText
    text.title = whole
    const leave = () => {
      // it may have been given another one since
      if (text.title === whole) text.removeAttribute('title')
    }
    text.addEventListener('pointerleave', leave, { once: true })
  }
  document.addEventListener('pointerover', enter)
  return () => document.removeEventListener('pointerover', enter)
}
