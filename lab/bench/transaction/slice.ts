/** The time in which operations are counted together. */
export const SLICE_MS = 10_000
