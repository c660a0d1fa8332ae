import type { Change } from '../reference-parts.ts'

/** A planted mistake: the case that must find it, and the cases that find it as well, as ids or groups. */
export interface Defect {
  title: string
  own: string
  /** `*`: every case, because ordinary calls fail too. */
  related: readonly string[]
  /** Breaks one rule of a correct plugin. */
  plant: Change
}

/** A defect: the case that must find it, what the plugin does, how that is planted, and which other cases find it. */
export const breaks = (
  own: string,
  title: string,
  plant: Change,
  related: readonly string[] = [],
): Defect => ({
  title,
  own,
  related,
  plant,
})
