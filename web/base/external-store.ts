import { useSyncExternalStore } from 'react'

/** React's `useSyncExternalStore` with the same snapshot on the server and in the browser. */
export const useStore = <Snapshot>(
  subscribe: (listener: () => void) => () => void,
  snapshot: () => Snapshot,
): Snapshot => useSyncExternalStore(subscribe, snapshot, snapshot)
