import type { Language } from '#contract/protocol/languages.ts'
import type { Formats } from './messages.ts'
import type { Texts } from './texts.ts'

/** One module a language, so that each is one script. */
export const loadLanguage: Record<Language, () => Promise<{ texts: Texts; formats: Formats }>> = {
  en: () => import('./en/index.ts'),
  zh: () => import('./zh/index.ts'),
}
