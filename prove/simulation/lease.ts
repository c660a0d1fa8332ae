/** How long a worker of the simulation holds an operation without a word. */
export const LEASE_MS = 4_000
