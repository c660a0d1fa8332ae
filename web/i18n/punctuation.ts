import { localeState } from './locale.ts'
import type { Translate } from './use-text.ts'

/** `a, b, c`: names, ids, choices. The punctuation is that of the current language. */
export const joinList = (t: Translate, items: readonly string[]): string =>
  items.join(t('common.punctuation.list'))

/** `a, b or c` */
export function joinOr(t: Translate, items: readonly string[]): string {
  const last = items.at(-1) ?? ''
  if (items.length < 2) return last
  return t('common.punctuation.or', { list: joinList(t, items.slice(0, -1)), last })
}

/** `Attempt 1, failed, 3 s`: parts of one statement; empty parts are omitted. */
export const joinClauses = (t: Translate, parts: readonly (string | false | null | undefined)[]): string =>
  parts.filter(Boolean).join(t('common.punctuation.clause'))

/** Consecutive complete sentences; empty ones are omitted. */
export const joinSentences = (t: Translate, sentences: readonly (string | false | null)[]): string =>
  sentences.filter(Boolean).join(t('common.punctuation.sentence'))

/** `label: text` */
export const labelled = (t: Translate, label: string, text: string): string =>
  `${label}${t('common.punctuation.colon')}${text}`

/** A text of the console in lower case, for the middle of a sentence. The language is the console's, not the browser's. */
export const inLowerCase = (text: string): string => text.toLocaleLowerCase(localeState().language)
