import type { texts } from './en/index.ts'
import type { Translated, Formats } from './messages.ts'
import type { Language } from '#contract/protocol/languages.ts'

/** All texts by namespace, as English defines them. */
export type Catalogue = typeof texts
export type Namespace = keyof Catalogue
/** All texts of a language. */
export type Texts = { readonly [Name in Namespace]: Translated<Catalogue[Name]> }

/** Loads a language: one module each, so that each is one script. */
export const loadLanguage = (language: Language): Promise<{ texts: Texts; formats: Formats }> =>
  // the compiler does not follow this import, but each module names both types; `texts.test.ts` loads them all
  import(`./${language}/index.ts`)
