import { createElement, lazy, useState, type ComponentType, type FunctionComponent } from 'react'
import { isInterrupted } from './connection.ts'
import { loadWithRetry } from './load-with-retry.ts'

/** For the control that opens a part of a page: they start to load it. */
export type IntentListeners = {
  onPointerEnter: () => void
  onPointerDown: () => void
  onFocus: () => void
}

/** A component that suspends until its code has loaded. */
export type LazyPart<Props> = FunctionComponent<Props> & {
  /** Starts to load the part; does nothing if it has loaded. */
  load: () => void
  /** Props of the control that opens the part: they load it when the pointer or the focus reaches the control. */
  onIntent: IntentListeners
}

/**
 * A large part of a page that loads on demand. Until it has loaded, a first click opens nothing, but the state that it
 * sets is kept, and the part appears as soon as it is there. A small part is not worth a request: import it.
 */
export function lazyPart<Props extends object>(
  importPart: () => Promise<ComponentType<Props>>,
): LazyPart<Props> {
  let loaded: ComponentType<Props> | undefined
  const loadPart = async () => {
    loaded = await importPart()
    return { default: loaded }
  }
  const Lazy: ComponentType<Props> = lazy(() => loadWithRetry(loadPart))
  const load = (): void => {
    // a failure does not matter here, because rendering the part tries again
    if (loaded === undefined && !isInterrupted()) loadPart().catch(() => undefined)
  }
  function Part(props: Props) {
    // React shows the fallback of `lazy` at least once, even when the code is already there
    const [Component] = useState(() => loaded ?? Lazy)
    return createElement(Component, props)
  }
  return Object.assign(Part, { load, onIntent: { onPointerEnter: load, onPointerDown: load, onFocus: load } })
}
