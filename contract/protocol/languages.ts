/** The languages of the console, the first for people whose browser asks for none of them. */
export const LANGUAGES = ['en', 'zh'] as const
export type Language = (typeof LANGUAGES)[number]

/** Their tags in documents and headers. */
export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-Hans' }

/** Each in itself, as people look for it. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', zh: '简体中文' }

export const isLanguage = (value: unknown): value is Language => LANGUAGES.some((one) => one === value)
