export type Language = 'en' | 'zh'

/** The value of the attribute `lang`. */
export const languageTag = (language: Language): string => (language === 'zh' ? 'zh-Hans' : 'en')

/** The supported language that a browser prefers according to its `Accept-Language`. */
export function languageOf(acceptLanguage: string | undefined): Language {
  const preferences = (acceptLanguage ?? '').split(',').map((part, index) => {
    const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
    const quality = parameters.map((text) => /^\s*q=([\d.]+)$/.exec(text)?.[1]).find((q) => q !== undefined)
    return { language: tag.split('-', 1)[0], quality: quality === undefined ? 1 : Number(quality), index }
  })
  const best = preferences
    .filter(({ language, quality }) => (language === 'en' || language === 'zh') && quality > 0)
    .toSorted((a, b) => b.quality - a.quality || a.index - b.index)[0]
  return best?.language === 'zh' ? 'zh' : 'en'
}
