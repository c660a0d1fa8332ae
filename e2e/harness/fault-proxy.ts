import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** A TCP proxy between browser and console that can drop responses or go down. */
export interface FaultProxy {
  port: number
  /** Forwards the next request of this method, and cuts the connection instead of returning its response; resolves then. */
  dropNextResponse(method: string): Promise<void>
  /** Forwards every request of this method and drops the responses, until `up` is called. */
  dropResponses(method: string): void
  /** Holds requests whose first line begins like this. Returns a function that releases them. */
  hold(beginning: string): () => void
  /** Holds everything in both directions, as a server that hangs. Returns a function that releases it. */
  freeze(): () => void
  /** Cuts all connections and rejects new ones, until `up` is called. */
  down(): void
  up(): void
  close(): Promise<void>
}

export async function createFaultProxy(targetPort: () => number): Promise<FaultProxy> {
  const open = new Set<Socket>()
  let drop: { method: string; isOnce: boolean; onDropped: () => void } | null = null
  let held: { beginning: string; requests: (() => void)[] } | null = null
  let isDown = false
  let frozen: (() => void)[] | null = null
  const server = createServer((browser) => {
    if (isDown) return browser.destroy()
    const target = connect(targetPort(), '127.0.0.1')
    let onResponse: (() => void) | null = null
    open.add(browser)
    const end = () => {
      open.delete(browser)
      browser.destroy()
      target.destroy()
    }
    browser.on('data', (chunk) => {
      if (frozen !== null) return frozen.push(() => target.write(chunk))
      // a request starts a new chunk: browsers do not pipeline
      const begins = (words: string) => chunk.subarray(0, words.length).toString('latin1') === words
      if (drop !== null && begins(`${drop.method} `)) {
        onResponse = drop.onDropped
        if (drop.isOnce) drop = null
      }
      if (held !== null && begins(held.beginning)) held.requests.push(() => target.write(chunk))
      else target.write(chunk)
      return undefined
    })
    target.on('data', (chunk) => {
      if (frozen !== null) return frozen.push(() => browser.write(chunk))
      if (onResponse === null) return browser.write(chunk)
      onResponse()
      return end()
    })
    for (const socket of [browser, target]) {
      socket.on('error', end)
      socket.on('close', end)
    }
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    dropNextResponse: (method) =>
      new Promise((lost) => {
        drop = { method, isOnce: true, onDropped: lost }
      }),
    dropResponses(method) {
      drop = { method, isOnce: false, onDropped: () => undefined }
    },
    hold(beginning) {
      const holding = { beginning, requests: [] as (() => void)[] }
      held = holding
      return () => {
        held = null
        for (const release of holding.requests) release()
      }
    },
    freeze() {
      const holding: (() => void)[] = []
      frozen = holding
      return () => {
        frozen = null
        for (const release of holding) release()
      }
    },
    down() {
      isDown = true
      for (const socket of open) socket.destroy()
    },
    up() {
      isDown = false
      frozen = null
      drop = null
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}
