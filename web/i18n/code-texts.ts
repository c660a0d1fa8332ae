import type { CatalogueEntry } from '#contract/console-api/connection-codes.ts'

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

/** The titles in such texts, by code. */
export function titlesIn(texts: Readonly<Record<string, string>>): Record<string, string> {
  const END = '.title'
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) =>
      key.endsWith(END) ? [[key.slice(0, -END.length), text]] : [],
    ),
  )
}
