export type Side = 'bottom-start' | 'bottom-end' | 'top-start' | 'top'

const GAP = 6
const EDGE = 8

/** Places a popover beside its anchor, inside the window. It uses CSSOM, which a strict `style-src` allows. */
export function placeNear(anchor: Element, floating: HTMLElement, side: Side): void {
  const at = anchor.getBoundingClientRect()
  const size = floating.getBoundingClientRect()
  // unlike the window's inner size, without scroll bars
  const { offsetWidth: width, clientHeight: height } = document.documentElement
  const wantsAbove = side === 'top-start' || side === 'top'
  const below = at.bottom + GAP
  const above = at.top - GAP - size.height
  const fitsBelow = below + size.height <= height - EDGE
  const top = (wantsAbove && above >= EDGE) || (!fitsBelow && above >= EDGE) ? above : below
  const starts = { 'bottom-start': at.left, 'top-start': at.left, 'bottom-end': at.right - size.width }
  const left = side === 'top' ? at.left + at.width / 2 - size.width / 2 : starts[side]
  floating.style.top = `${Math.round(top)}px`
  floating.style.left = `${Math.round(Math.max(EDGE, Math.min(left, width - size.width - EDGE)))}px`
}
