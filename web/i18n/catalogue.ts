import type { texts } from './en/index.ts'
import type { Translated } from './messages.ts'

export const LOCALES = ['en', 'zh'] as const
export type Locale = (typeof LOCALES)[number]

/** All texts by namespace, as English defines them. */
export type Catalogue = typeof texts
export type Namespace = keyof Catalogue
/** All texts of a language. */
export type Texts = { readonly [Name in Namespace]: Translated<Catalogue[Name]> }

/** One module a language, so that each is one script. */
export const loadTexts: Record<Locale, () => Promise<Texts>> = {
  en: async () => (await import('./en/index.ts')).texts,
  zh: async () => (await import('./zh/index.ts')).texts,
}
