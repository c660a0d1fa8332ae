import type { Locale, Namespace } from './catalogue.ts'
import { coreTexts, pageTexts } from './catalogue.ts'
import { localeStateOf } from './locale.ts'
import type { Messages } from './messages.ts'
import { translateIn, type Translate } from './use-text.ts'

/** Every text of a language, for tests. */
export async function textsOf(locale: Locale): Promise<Record<Namespace, Messages>> {
  const pages = Object.entries(pageTexts[locale]).map(async ([name, load]) => [name, await load()] as const)
  return {
    ...(await coreTexts[locale]()),
    ...Object.fromEntries(await Promise.all(pages)),
  } as Record<Namespace, Messages>
}

/** `t` as on the page, for tests. */
export async function translator(locale: Locale): Promise<Translate> {
  return translateIn(localeStateOf(locale, await textsOf(locale)))
}
