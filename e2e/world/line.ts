import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** The line between browser and console: passes bytes on, and can be told to lose an answer or to be down. */
export interface Line {
  port: number
  /** Lets the next request of this method arrive, and cuts the connection instead of answering it; resolves then. */
  loseNextAnswer(method: string): Promise<void>
  /** Lets every request of this method arrive and answers none, until the line is up again. */
  loseAnswers(method: string): void
  /** Holds requests whose first line begins like this. Returns a function that releases them. */
  hold(beginning: string): () => void
  /** Cuts everything and refuses what comes, until it is up again. */
  down(): void
  up(): void
  close(): Promise<void>
}

export async function createLine(targetPort: () => number): Promise<Line> {
  const open = new Set<Socket>()
  let lose: { method: string; isOnce: boolean; lost: () => void } | null = null
  let held: { beginning: string; requests: (() => void)[] } | null = null
  let isDown = false
  const server = createServer((browser) => {
    if (isDown) return browser.destroy()
    const target = connect(targetPort(), '127.0.0.1')
    let isLost: (() => void) | null = null
    open.add(browser)
    const end = () => {
      open.delete(browser)
      browser.destroy()
      target.destroy()
    }
    browser.on('data', (chunk) => {
      // a request begins a chunk of its own: browsers do not pipeline
      const begins = (words: string) => chunk.subarray(0, words.length).toString('latin1') === words
      if (lose !== null && begins(`${lose.method} `)) {
        isLost = lose.lost
        if (lose.isOnce) lose = null
      }
      if (held !== null && begins(held.beginning)) held.requests.push(() => target.write(chunk))
      else target.write(chunk)
    })
    target.on('data', (chunk) => {
      if (isLost === null) return browser.write(chunk)
      isLost()
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
    loseNextAnswer: (method) =>
      new Promise((lost) => {
        lose = { method, isOnce: true, lost }
      }),
    loseAnswers(method) {
      lose = { method, isOnce: false, lost: () => undefined }
    },
    hold(beginning) {
      const holding = { beginning, requests: [] as (() => void)[] }
      held = holding
      return () => {
        held = null
        for (const release of holding.requests) release()
      }
    },
    down() {
      isDown = true
      for (const socket of open) socket.destroy()
    },
    up() {
      isDown = false
      lose = null
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}
