/** As long as a statement may take. Then somebody looks again: the database may answer, although what was asked before hangs. */
const SHARED_MS = 15_000

/**
 * One look for all who ask while it is under way. For what nobody limits, such as probes, and what takes connections that people
 * wait for.
 */
export function sharedLook<Result>(look: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | null = null
  return () => {
    if (underWay !== null) return underWay
    const started = look()
    underWay = started
    const forget = (): void => {
      if (underWay === started) underWay = null
    }
    const timer = setTimeout(forget, SHARED_MS).unref()
    return started.finally(() => {
      clearTimeout(timer)
      forget()
    })
  }
}
