// What the two halves of the tests' API say to each other: the server of the run, and the page of the test.

/** Where the page of the test connects, on its own origin. */
export const TEST_API_PATH = '/__api-of-tests'

/** To the page: a request arrived, or whoever sent it has left. */
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
  /** Closes the connection without an end, or without any answer. */
  | { kind: 'cut'; id: number }
