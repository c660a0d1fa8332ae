import type { CatalogueEntry } from '#contract/console-api/catalogue.ts'

/** A catalogue of codes as texts: `NOT_FOUND.title`, `NOT_FOUND.message`, `NOT_FOUND.remedy`. */
export function codeTexts(entries: Readonly<Record<string, CatalogueEntry>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(entries).flatMap(([code, { title, message, remedy }]) => [
      [`${code}.title`, title],
      [`${code}.message`, message],
      [`${code}.remedy`, remedy],
    ]),
  )
}
