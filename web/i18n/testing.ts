import type { Language } from '#contract/protocol/languages.ts'
import { localeStateOf } from './locale.ts'
import { translateIn, type Translate } from './use-text.ts'

/** `t` as on the page, for tests. */
export async function translator(language: Language): Promise<Translate> {
  return translateIn(await localeStateOf(language))
}
