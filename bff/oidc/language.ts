import { isLanguage, LANGUAGES } from '#contract/protocol/languages.ts'
import type { Language } from '#contract/protocol/languages.ts'

/** The supported language that a browser prefers according to its `Accept-Language`. */
export function languageOf(acceptLanguage: string | undefined): Language {
  const preferences = (acceptLanguage ?? '').split(',').flatMap((part, index) => {
    const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
    const quality = parameters.map((text) => /^\s*q=([\d.]+)$/.exec(text)?.[1]).find((q) => q !== undefined)
    const [language] = tag.split('-', 1)
    return isLanguage(language)
      ? [{ language, quality: quality === undefined ? 1 : Number(quality), index }]
      : []
  })
  const [best] = preferences
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality || a.index - b.index)
  return best?.language ?? LANGUAGES[0]
}
