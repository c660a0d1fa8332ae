import type { TimeScale } from './time-scale.ts'

/** How moments become places on the screen; the same for the axis and for every row. */
export type Drawing = {
  scale: TimeScale
  x: (moment: number) => number
  width: number
  now: number
  isLive: boolean
}

/** Label and track side by side; one above the other where there is no room. */
export const rowGrid =
  'grid grid-cols-1 sm:grid-cols-[14rem_minmax(0,1fr)] lg:grid-cols-[17rem_minmax(0,1fr)]'
