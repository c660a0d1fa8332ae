import { useCallback, useState, type ReactNode, type RefCallback } from 'react'
import { whenNearWindow } from './when-near.ts'

/** So many items are rendered in full wherever they are, so a list with no more of them is simply rendered. */
export const FIRST_ITEMS = 30
/** How many items before and after the one with the focus are near, so that Tab finds what is in them. */
const NEIGHBORS = 10

/**
 * The items of a list that can be very long. Beyond the first ones, an item far from the window is rendered in brief, so
 * that the page stays light, while headings, find-in-page and the scroll bar still know the whole list. Once rendered in
 * full, an item stays so.
 */
export function NearList<Item>({
  items,
  keyOf,
  full,
  brief,
}: {
  items: readonly Item[]
  keyOf: (item: Item) => string
  full: (item: Item) => ReactNode
  /** One light element that has the `ref`, says what the item is, and is about as high as the item in full. */
  brief: (item: Item, ref: RefCallback<HTMLElement>) => ReactNode
}) {
  return items.map((item, index) => (
    <NearItem
      key={keyOf(item)}
      isFirst={index < FIRST_ITEMS}
      full={() => full(item)}
      brief={(ref) => brief(item, ref)}
    />
  ))
}

function NearItem({
  isFirst,
  full,
  brief,
}: {
  isFirst: boolean
  full: () => ReactNode
  brief: (ref: RefCallback<HTMLElement>) => ReactNode
}) {
  const [wasNear, setWasNear] = useState(isFirst)
  if (isFirst && !wasNear) setWasNear(true)
  const ref = useCallback(
    (element: HTMLElement | null) =>
      element === null ? undefined : whenNear(element, () => setWasNear(true)),
    [],
  )
  return wasNear ? full() : brief(ref)
}

/** The items in brief, for the focus. */
const brieflyShown = new Map<Element, () => void>()
let isFocusFollowed = false

/** Calls back when the item is near the window or the focus. Returns what ends the wait. */
function whenNear(item: Element, onNear: () => void): () => void {
  if (!isFocusFollowed) {
    isFocusFollowed = true
    addEventListener('focusin', ({ target }) => {
      if (brieflyShown.size > 0 && target instanceof Element) callNeighbors(target)
    })
  }
  brieflyShown.set(item, onNear)
  const stop = whenNearWindow(item, onNear)
  return () => {
    brieflyShown.delete(item)
    stop()
  }
}

/** The item with the focus is one of the elements around the focused one. */
function callNeighbors(focused: Element): void {
  for (let item: Element | null = focused; item !== null; item = item.parentElement)
    for (const side of ['previousElementSibling', 'nextElementSibling'] as const) {
      let neighbor = item[side]
      for (let count = 0; neighbor !== null && count < NEIGHBORS; count++) {
        brieflyShown.get(neighbor)?.()
        neighbor = neighbor[side]
      }
    }
}
