import { useSyncExternalStore } from 'react'

/** React's `useSyncExternalStore` for a store whose value is the same on the server, where nobody subscribes. */
export const useStore = <Snapshot>(
  subscribe: (listener: () => void) => () => void,
  snapshot: () => Snapshot,
): Snapshot => useSyncExternalStore(subscribe, snapshot, snapshot)
