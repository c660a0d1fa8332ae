import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Prevents a transaction inside another one of the same store: it would wait for the outer one, which waits for it.
 * Returns a function that runs `work` as a transaction, and throws if the caller is already in one.
 */
export function oneTransaction(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const inside = new AsyncLocalStorage<true>()
  return (work) => {
    if (inside.getStore() === true)
      throw new Error('A transaction is already open: use the one passed in, a second one would wait forever')
    return inside.run(true, work)
  }
}
