// The messages between the two halves of the test API: the Vite server, and the page that runs the tests.

/** The path at which the page connects, on its own origin. */
export const TEST_API_PATH = '/__api-of-tests'

/** To the page: a request arrived, or its sender closed the connection. */
export type ToPage =
  | {
      kind: 'request'
      id: number
      method: string
      url: string
      headers: Record<string, string>
      body: string
    }
  | { kind: 'left'; id: number }

/** From the page: parts of a response, in order. */
export type FromPage =
  | { kind: 'head'; id: number; status: number; headers: Record<string, string> }
  | { kind: 'body'; id: number; text: string }
  | { kind: 'end'; id: number }
  /** Closes the connection without completing the response. */
  | { kind: 'cut'; id: number }
