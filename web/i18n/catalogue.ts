import type { Language } from '#contract/protocol/languages.ts'
import type { Formats } from './messages.ts'
import type { Texts } from './texts.ts'

/** Loads a language: one module each, so that each is one script. */
export const loadLanguage = (language: Language): Promise<{ texts: Texts; formats: Formats }> =>
  // the compiler does not follow this import, but each module names both types; `catalogue.test.ts` loads them all
  import(`./${language}/index.ts`)
