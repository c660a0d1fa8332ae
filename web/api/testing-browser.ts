/**
 * Browser globals for tests of this folder on Node: a window, a document, and a `fetch` that accepts addresses
 * relative to the page. `request` is called before each request is sent.
 */
export function standInBrowser(origin: () => string, request: () => void = () => undefined) {
  const window = new EventTarget()
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  const { fetch } = globalThis
  Object.assign(globalThis, {
    window,
    document,
    fetch: (address: string, init?: RequestInit) => {
      request()
      return fetch(new URL(address, origin()), init)
    },
  })
  return { window, document }
}
