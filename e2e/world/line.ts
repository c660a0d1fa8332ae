import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** The line between browser and console: passes bytes on, and can be told to lose an answer or to be down. */
export interface Line {
  port: number
  /** Lets the next request of this method arrive, and cuts the connection instead of answering it; resolves then. */
  loseNextAnswer(method: string): Promise<void>
  /** Lets every request of this method arrive and answers none, until the line is up again. */
  loseAnswers(method: string): void
  /** Cuts everything and refuses what comes, until it is up again. */
  down(): void
  up(): void
  close(): Promise<void>
}

export async function createLine(targetPort: () => number): Promise<Line> {
  const open = new Set<Socket>()
  let lose: { method: string; isOnce: boolean; lost: () => void } | null = null
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
      if (
        lose !== null &&
        chunk.subarray(0, lose.method.length + 1).toString('latin1') === `${lose.method} `
      ) {
        isLost = lose.lost
        if (lose.isOnce) lose = null
      }
      target.write(chunk)
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
