/** The shades of a version, by how many newer ones there are; the last one stands for that many and more. */
export const SHADES = [
  'bg-ok-tint',
  'bg-doubt-tint',
  'bg-doubt-line/65',
  'bg-[color-mix(in_srgb,var(--doubt-line),var(--doubt)_30%)]',
] as const

const LAST = SHADES.length - 1

export const shadeOf = (behind: number): string => SHADES[Math.min(behind, LAST)] ?? ''

/** What a version that is behind shows beside its number, so that the shade is not the only sign. */
export const distanceText = (behind: number): string => `−${behind}`
