import { isBrowser } from '../base/environment.ts'

/** What a group gives the focus to. */
const FIELDS = 'input, select, textarea, button, [contenteditable="true"], pre[tabindex]'

/**
 * The attributes of an element that has a home for the focus. The focus goes there, and not to the body, when what has it
 * is removed or disabled: a button that did its work, a note that is settled. An outer home serves if the inner one has
 * nothing that can take the focus.
 *
 * @param ids the element that gets the focus, or as a group its first field: the first of these that is there; by default
 * the element itself. It may appear together with the removal.
 */
export const focusHome = (...ids: string[]) => ({ 'data-focus-home': ids.join(' ') })

interface Focused {
  element: HTMLElement
  homes: readonly HTMLElement[]
  /** Whether the person came by mouse, and looks at something else than what gets the focus. */
  isPressed: boolean
}

let focused: Focused | null = null
/** Where the focus was when a dialog opened. */
const openers = new WeakMap<HTMLDialogElement, readonly HTMLElement[]>()

/** Called before a dialog opens: what opened it may be gone when it closes. */
export function rememberOpener(dialog: HTMLDialogElement): void {
  const { activeElement, body } = document
  // one that opens with the page, such as after a sign-in, was opened by nothing
  openers.set(dialog, homesOf(activeElement === body ? document.querySelector('main') : activeElement))
}

/** The first field of a group, or else the control itself. */
export const fieldOf = (control: HTMLElement): HTMLElement =>
  (control.matches('[role="group"]') ? control.querySelector<HTMLElement>(FIELDS) : null) ?? control

/** From the inside out, and then those of what opened the dialog. They are read before the element is removed. */
function homesOf(element: Element | null): readonly HTMLElement[] {
  const homes: HTMLElement[] = []
  let home = element?.closest<HTMLElement>('[data-focus-home]')
  while (home) {
    homes.push(home)
    home = home.parentElement?.closest<HTMLElement>('[data-focus-home]')
  }
  const dialog = element?.closest('dialog')
  return [...homes, ...((dialog && openers.get(dialog)) ?? [])]
}

/**
 * Keeps the focused field of a dialog in view when what is above it loads, unless the person has scrolled it out of view. A
 * ref of the content that scrolls. Scroll anchoring of the browser does not do this: it is off at the top.
 */
export function keepFieldInView(content: HTMLElement | null): (() => void) | undefined {
  const dialog = content?.closest('dialog')
  if (!content || !dialog) return undefined
  let isSeen = false
  const ended = new AbortController()
  const listen = (kind: string, listener: (event: Event) => void) =>
    dialog.addEventListener(kind, listener, { capture: true, signal: ended.signal })
  const sizes = new ResizeObserver(() => {
    const { activeElement: field } = document
    if (isSeen && field?.matches('input, select, textarea') && content.contains(field))
      field.scrollIntoView({ block: 'nearest' })
  })
  sizes.observe(content)
  listen('focus', () => (isSeen = true))
  listen('scroll', ({ target }) => {
    const { activeElement: field } = document
    // only elements scroll in a dialog
    const area = target as Element
    if (!field || field === area || !area.contains(field)) return
    const [outer, inner] = [area.getBoundingClientRect(), field.getBoundingClientRect()]
    isSeen = inner.bottom > outer.top && inner.top < outer.bottom
  })
  return () => {
    sizes.disconnect()
    ended.abort()
  }
}

function goHome({ homes, isPressed }: Focused): void {
  for (const home of homes) {
    const controls = (home.dataset['focusHome'] ?? '')
      .split(' ')
      .flatMap((id) => document.getElementById(id) ?? [])
    const targets = [...controls.flatMap((control) => [fieldOf(control), control]), home]
    if (targets.some((target) => takesFocus(target, isPressed))) return
  }
}

function takesFocus(target: HTMLElement, preventScroll: boolean): boolean {
  target.focus({ preventScroll })
  if (document.activeElement === target) return true
  if (!target.isConnected || target.hasAttribute('tabindex')) return false
  // for this once only: a press on the text in it must not focus it
  target.tabIndex = -1
  target.addEventListener('blur', () => target.removeAttribute('tabindex'), { once: true })
  target.focus({ preventScroll })
  return document.activeElement === target
}

const isGone = ({ element }: Focused): boolean => !element.isConnected || element.matches(':disabled')

function keep(): void {
  if (focused === null || !isGone(focused)) return
  const { activeElement } = document
  const isLost =
    activeElement === null || activeElement === document.body || activeElement === focused.element
  const lost = focused
  focused = null
  if (isLost) goHome(lost)
}

if (isBrowser) {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    focused = { element: target, homes: homesOf(target), isPressed: !target.matches(':focus-visible') }
  })
  document.addEventListener('focusout', () => {
    const left = focused
    // some browsers report a removal, and some do not
    queueMicrotask(() => {
      if (left !== null && left === focused && !isGone(left) && document.activeElement !== left.element)
        focused = null
    })
  })
  // called after all changes of a render, and before they are painted
  new MutationObserver(keep).observe(document, {
    childList: true,
    subtree: true,
    attributeFilter: ['disabled'],
  })
}
