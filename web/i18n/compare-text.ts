import { shownTag } from './locale.ts'

let collator: { of: string | undefined; compare: Intl.Collator['compare'] } | undefined
const collate = (): Intl.Collator['compare'] => {
  const of = shownTag()
  if (collator === undefined || collator.of !== of)
    collator = { of, compare: new Intl.Collator(of, { numeric: true }).compare }
  return collator.compare
}

// the first collator of a page takes as long as rendering a list
if (typeof requestIdleCallback === 'function') requestIdleCallback(collate)

/**
 * The order of texts for people, in the language that is shown and with numbers by value: `Module 2` before `Module 10`.
 *
 * @returns a number below, equal to or above 0.
 */
export const compareText = (one: string, other: string): number => collate()(one, other)
