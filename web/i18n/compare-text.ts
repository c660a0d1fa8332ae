let collator: Intl.Collator | undefined
const collate = (): Intl.Collator => (collator ??= new Intl.Collator(undefined, { numeric: true }))

// the first collator of a page takes as long as rendering a list
if (typeof requestIdleCallback === 'function') requestIdleCallback(collate)

/**
 * The order of texts for people, with numbers by value: `Module 2` before `Module 10`.
 *
 * @returns a number below, equal to or above 0.
 */
export const compareText = (one: string, other: string): number => collate().compare(one, other)
