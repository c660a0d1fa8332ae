import type { TimeScale } from './time-scale.ts'

/** Maps times to positions on the screen, for the axis and for every row. */
export type Drawing = {
  scale: TimeScale
  x: (moment: number) => number
  width: number
  now: number
  isLive: boolean
}

/** Label and track side by side, or one above the other on narrow screens. */
export const rowGrid =
  'grid grid-cols-1 sm:grid-cols-[14rem_minmax(0,1fr)] lg:grid-cols-[17rem_minmax(0,1fr)]'
