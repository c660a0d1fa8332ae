export interface TogetherOptions<Key, Found> {
  /** Reads all of the keys with one statement; the results by `identify`. */
  read: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Found>>
  /** Keys that are equal are read once. */
  identify: (key: Key) => string
  /** Statements at the same time. */
  concurrency: number
  /** Keys of one statement. */
  most: number
  /** Between the starts of two statements: a caller waits at most this long for others, if a statement has just started. */
  intervalMs: number
}

interface Waiting<Key, Found> {
  key: Key
  result: Promise<Found | undefined>
  resolve: (found: Found | undefined) => void
  reject: (error: unknown) => void
}

/**
 * Returns a function that reads one key. Callers that arrive in one turn of the event loop, or while `concurrency`
 * statements run, share the next statement: a round trip costs more than a row. Each caller is answered from a
 * statement that started after it asked. If a statement fails, all of its callers get the error.
 *
 * A cache would save more, but a revoked credential would then count later, on some replicas later than on others.
 */
export function readTogether<Key, Found>(
  options: TogetherOptions<Key, Found>,
): (key: Key) => Promise<Found | undefined> {
  const { read, identify, concurrency, most, intervalMs } = options
  // Replaced, not emptied: V8 links the tables of one map that grows and shrinks, so that a dead one, until the next full
  // collection, keeps all later ones alive, with the results of their callers.
  let waiting = new Map<string, Waiting<Key, Found>>()
  let running = 0
  let isScheduled = false
  let startedAt = -Infinity

  /**
   * At the end of this turn of the event loop, so that all callers of the turn share the statement; under load a little
   * later, so that more of them do.
   */
  function schedule(): void {
    if (isScheduled || waiting.size === 0 || running >= concurrency) return
    isScheduled = true
    const start = () => {
      isScheduled = false
      void readNext()
      schedule()
    }
    const pauseMs = startedAt + intervalMs - performance.now()
    if (pauseMs > 0) setTimeout(start, pauseMs)
    else setImmediate(start)
  }

  async function readNext(): Promise<void> {
    const all = [...waiting]
    const batch = all.slice(0, most)
    waiting = new Map(all.slice(most))
    running++
    startedAt = performance.now()
    try {
      const found = await read(batch.map(([, { key }]) => key))
      for (const [id, { resolve }] of batch) resolve(found.get(id))
    } catch (error) {
      for (const [, { reject }] of batch) reject(error)
    } finally {
      running--
      schedule()
    }
  }

  return (key) => {
    const id = identify(key)
    const known = waiting.get(id)
    if (known !== undefined) return known.result
    const { promise: result, resolve, reject } = Promise.withResolvers<Found | undefined>()
    waiting.set(id, { key, result, resolve, reject })
    schedule()
    return result
  }
}
