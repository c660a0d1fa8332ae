import { createElement, lazy, useState, type ComponentType } from 'react'
import { isInterrupted } from '../api/connection.ts'
import type { PageNamespace } from '../i18n/catalogue.ts'
import { loadTexts } from '../i18n/locale.ts'
import { loadWithRetry } from '../load-with-retry.ts'
import type { IntentListeners } from '../ui/Link.tsx'

/** A component that suspends until its code has loaded. */
export type LazyPart<Props> = ComponentType<Props> & {
  /** Starts to load the part; does nothing if it has loaded. */
  load: () => void
  /** Props of the control that opens the part: they load it when the pointer or the focus reaches the control. */
  onIntent: IntentListeners
}

/**
 * A part of a page that loads on demand, such as a dialog. Until it has loaded, a first click opens nothing, but the
 * state that it sets is kept, and the part appears as soon as it is there.
 *
 * @param texts the namespaces that the part needs in addition to those of its page.
 */
export function lazyPart<Props extends object>(
  importPart: () => Promise<ComponentType<Props>>,
  texts: readonly PageNamespace[] = [],
): LazyPart<Props> {
  let loaded: ComponentType<Props> | undefined
  const loadPart = async () => {
    const [part] = await Promise.all([importPart(), loadTexts(texts)])
    loaded = part
    return { default: part }
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

/**
 * A {@link lazyPart} that contains a form. The form library and the form texts load with it, so that pages do not load
 * them for forms that nobody opens.
 */
export const lazyForm = <Props extends object>(
  importPart: () => Promise<ComponentType<Props>>,
  texts: readonly PageNamespace[] = [],
): LazyPart<Props> => lazyPart(importPart, ['forms', ...texts])
