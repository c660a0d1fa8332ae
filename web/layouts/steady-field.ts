/** What is held: a field, or an editor of code as a whole, because it scrolls its text. */
const HELD = 'input, textarea, select, .cm-editor'
/** What is above the page and does not move with it. */
const ABOVE = '[popover], dialog'

/**
 * Keeps the field that has the focus where it is in the window while content around it appears, disappears or changes its
 * size. Scrolling by the person moves it as usual. Where the page cannot scroll far enough, the container gets an
 * invisible border, until the field loses the focus and no button is pressed: content that moves during a press would
 * lose the click. Returns how to stop.
 *
 * Scroll anchoring of the browser does not do this: it is off at the top of a page, and may hold another element.
 */
export function keepFieldSteady(container: HTMLElement): () => void {
  let field: Element | null = null
  /** Distance from the top of the window to the field, in px. */
  let top = 0
  let scrolled = 0
  /** Heights of the invisible border, in px. */
  let space = { above: 0, below: 0 }
  let isPressed = false

  const measure = (of: Element) => of.getBoundingClientRect().top
  const remember = (of: Element) => {
    top = measure(of)
    scrolled = scrollY
  }
  const setSpace = (above: number, below: number) => {
    space = { above, below }
    container.style.borderTop = above === 0 ? '' : `${above}px solid transparent`
    container.style.borderBottom = below === 0 ? '' : `${below}px solid transparent`
  }
  const followScroll = (of: Element) => {
    // a field that does not scroll with the page stays where it is
    if (Math.abs(measure(of) - top) >= 1) top -= scrollY - scrolled
    scrolled = scrollY
  }
  const settle = () => {
    if (field === null) return
    if (!field.isConnected || !field.contains(document.activeElement)) return release()
    // a page that became shorter scrolls back automatically
    const isClamped = scrollY < scrolled && scrollY >= document.documentElement.scrollHeight - innerHeight - 1
    if (!isClamped) followScroll(field)
    // what is out of sight may move
    if (top < 0 || top > innerHeight) return remember(field)
    const moved = measure(field) - top
    if (Math.abs(moved) < 1) return
    scrollBy({ top: moved, behavior: 'instant' })
    const left = measure(field) - top
    if (left <= -1) setSpace(space.above - left, space.below)
    if (left >= 1) {
      const end = container.lastElementChild?.getBoundingClientRect().bottom ?? 0
      // a page that is shorter than the window has to fill it first
      setSpace(space.above, Math.max(space.below, innerHeight - end) + left)
      scrollBy({ top: left, behavior: 'instant' })
    }
    scrolled = scrollY
    // a field that does not follow the page is not held: each attempt changes the page, and would cause the next one
    if (Math.abs(measure(field) - top) >= 1) remember(field)
  }

  const mutations = new MutationObserver((records) => {
    // typing changes only the field, and measuring would lay out the page before the frame
    if (records.some(({ target }) => field?.contains(target) !== true)) settle()
  })
  const sizes = new ResizeObserver(settle)
  const release = () => {
    field = null
    mutations.disconnect()
    sizes.disconnect()
    document.documentElement.style.overflowAnchor = ''
    removeSpace()
  }
  const removeSpace = () => {
    if (!isPressed && field === null && space.above + space.below > 0) setSpace(0, 0)
  }
  const onPress = () => void (isPressed = true)
  const onRelease = () => {
    isPressed = false
    // after the click that follows
    setTimeout(removeSpace)
  }
  const hold = ({ target }: FocusEvent) => {
    field = target instanceof Element && target.closest(ABOVE) === null ? target.closest(HELD) : null
    if (field === null) return
    remember(field)
    // both would correct the same shift
    document.documentElement.style.overflowAnchor = 'none'
    mutations.observe(container, { childList: true, subtree: true, characterData: true, attributes: true })
    sizes.observe(container)
    for (const child of container.children) sizes.observe(child)
  }
  const onScroll = ({ target }: Event) => {
    if (field === null) return
    if (target === document) followScroll(field)
    else remember(field)
  }
  const onResize = () => void (field !== null && remember(field))

  // the border has to be there at once
  container.style.transitionProperty = 'none'
  container.addEventListener('focusin', hold)
  container.addEventListener('focusout', release)
  document.addEventListener('scroll', onScroll, { capture: true, passive: true })
  addEventListener('resize', onResize)
  addEventListener('pointerdown', onPress, true)
  addEventListener('pointerup', onRelease, true)
  addEventListener('pointercancel', onRelease, true)
  return () => {
    isPressed = false
    release()
    container.style.transitionProperty = ''
    container.removeEventListener('focusin', hold)
    container.removeEventListener('focusout', release)
    document.removeEventListener('scroll', onScroll, { capture: true })
    removeEventListener('resize', onResize)
    removeEventListener('pointerdown', onPress, true)
    removeEventListener('pointerup', onRelease, true)
    removeEventListener('pointercancel', onRelease, true)
  }
}
