import { connect } from 'node:net'
import { openLink } from './link.ts'

/** Between browser and console: can drop responses or go down. */
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
  let drop: { method: string; isOnce: boolean; onDropped: () => void } | null = null
  let held: { beginning: string; requests: (() => void)[] } | null = null
  const link = await openLink({
    open: () => connect(targetPort(), '127.0.0.1'),
    hooks(passage) {
      let onResponse: (() => void) | null = null
      return {
        fromClient(bytes) {
          // a request starts a new chunk: browsers do not pipeline
          const begins = (words: string) => bytes.subarray(0, words.length).toString('latin1') === words
          if (drop !== null && begins(`${drop.method} `)) {
            onResponse = drop.onDropped
            if (drop.isOnce) drop = null
          }
          if (held !== null && begins(held.beginning)) held.requests.push(() => passage.toTarget(bytes))
          else passage.toTarget(bytes)
        },
        fromTarget(bytes) {
          if (onResponse === null) return passage.toClient(bytes)
          onResponse()
          return passage.cut()
        },
      }
    },
  })
  return {
    port: link.port,
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
      link.pause()
      return () => link.resume()
    },
    down() {
      link.accept(false)
      for (const passage of link.passages()) passage.cut()
    },
    up() {
      link.accept(true)
      link.resume()
      drop = null
    },
    close: () => link.close(),
  }
}
