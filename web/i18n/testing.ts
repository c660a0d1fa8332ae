import { loadTexts, type Locale } from './catalogue.ts'
import { localeStateOf } from './locale.ts'
import { translateIn, type Translate } from './use-text.ts'

/** `t` as on the page, for tests. */
export async function translator(locale: Locale): Promise<Translate> {
  return translateIn(localeStateOf(locale, await loadTexts[locale]()))
}
