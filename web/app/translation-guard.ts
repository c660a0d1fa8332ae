/**
 * Translators of browsers and extensions replace the text nodes of a page, some of them even where a page forbids it. React keeps
 * its own text nodes: it fails when it removes one that is not there, or inserts before it, and what it writes into one that was
 * taken out is not seen. The guard remembers what stands in the place of a text, and acts on that.
 *
 * @returns stops watching; for tests.
 */
export function guardAgainstTranslation(root: Node): () => void {
  const observer = new MutationObserver((records) => remember(records))
  observer.observe(root, { childList: true, subtree: true })
  const standIns = new WeakMap<Node, Node>()
  let restore: (() => void) | null = null

  const remember = (records: readonly MutationRecord[]): void => {
    for (const { removedNodes, addedNodes, previousSibling, nextSibling } of records)
      for (const text of removedNodes) {
        // React has no <font>
        const other = [...addedNodes, previousSibling, nextSibling].find((node) => node?.nodeName === 'FONT')
        if (!(text instanceof Text) || other === undefined || other === null) continue
        standIns.set(text, other)
        restore ??= guardNodes(placeOf, standIns)
      }
  }
  /** The child of a parent that is, contains or stands for a node; null if it is not there in any form. */
  const placeOf = (parent: Node, node: Node): Node | null => {
    remember(observer.takeRecords())
    let at: Node | null = node
    while (at !== null && at.parentNode !== parent) at = at.parentNode ?? standIns.get(at) ?? null
    return at
  }
  return () => {
    observer.disconnect()
    restore?.()
  }
}

/** Makes nodes tolerate that a text has been moved; only once that has happened, so that nobody else pays for it. */
function guardNodes(
  placeOf: (parent: Node, node: Node) => Node | null,
  standIns: WeakMap<Node, Node>,
): () => void {
  const node = Node.prototype
  // oxlint-disable-next-line typescript/unbound-method -- called with the node that they belong to
  const { removeChild, insertBefore, appendChild } = node
  const value = Object.getOwnPropertyDescriptor(node, 'nodeValue')
  /** A text that is put somewhere, or changed, is not translated any more. */
  const takeStandIn = (text: Node): Node | undefined => {
    const standIn = text.parentNode === null ? standIns.get(text) : undefined
    if (standIn !== undefined) standIns.delete(text)
    return standIn?.parentNode ? standIn : undefined
  }
  const dropStandIn = (text: Node): void => {
    const standIn = takeStandIn(text)
    if (standIn?.parentNode) removeChild.call(standIn.parentNode, standIn)
  }
  node.removeChild = function <Child extends Node>(this: Node, child: Child): Child {
    const place = child.parentNode === this ? child : placeOf(this, child)
    if (place !== null) removeChild.call(this, place)
    return child
  }
  node.insertBefore = function <Child extends Node>(this: Node, child: Child, before: Node | null): Child {
    const place = before === null || before.parentNode === this ? before : placeOf(this, before)
    dropStandIn(child)
    insertBefore.call(this, child, place?.parentNode === this ? place : null)
    return child
  }
  node.appendChild = function <Child extends Node>(this: Node, child: Child): Child {
    dropStandIn(child)
    appendChild.call(this, child)
    return child
  }
  if (value?.set !== undefined) {
    const { set } = value
    Object.defineProperty(node, 'nodeValue', {
      ...value,
      set(this: Node, text: string | null) {
        set.call(this, text)
        const standIn = takeStandIn(this)
        standIn?.parentNode?.replaceChild(this, standIn)
      },
    })
  }
  return () => {
    Object.assign(node, { removeChild, insertBefore, appendChild })
    if (value !== undefined) Object.defineProperty(node, 'nodeValue', value)
  }
}
