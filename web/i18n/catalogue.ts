import type { Language } from '#contract/protocol/languages.ts'
import type { texts } from './en/index.ts'
import type { Formats, Translated } from './messages.ts'

/** All texts by namespace, as English defines them. */
export type Catalogue = typeof texts
export type Namespace = keyof Catalogue
/** All texts of a language. */
export type Texts = { readonly [Name in Namespace]: Translated<Catalogue[Name]> }

/** One module a language, so that each is one script. */
export const loadLanguage: Record<Language, () => Promise<{ texts: Texts; formats: Formats }>> = {
  en: () => import('./en/index.ts'),
  zh: () => import('./zh/index.ts'),
}
