import { loadWithRetry } from '../base/load-with-retry.ts'
import { storeChoice, storedChoice } from '../base/stored-choice.ts'
import { isLanguage, LANGUAGE_TAGS, LANGUAGES, type Language } from '#contract/protocol/languages.ts'
import type { Texts } from './texts.ts'
import { loadLanguage } from './texts.ts'
import type { Formats } from './messages.ts'

const STORAGE_KEY = 'bundle-console.locale'
const COOKIE = 'console_language'

/** Everything that depends on the language; replaced as a whole when it changes. */
export type LocaleState = {
  readonly language: Language
  readonly texts: Texts
  readonly formats: Formats
  readonly plural: Intl.PluralRules
  readonly formatNumber: (value: number) => string
}

export async function localeStateOf(language: Language): Promise<LocaleState> {
  const { texts, formats } = await loadWithRetry(() => loadLanguage(language))
  return {
    language,
    texts,
    formats,
    plural: new Intl.PluralRules(language),
    formatNumber: numberFormat(formats),
  }
}

const PLAIN = /^(-?\d+)(\.\d+)?$/
const GROUP_END = /\B(?=(?:\d{3})+$)/g

/** Creating the first `NumberFormat` of a page is slow, so only what is not plain digits takes one. */
function numberFormat(formats: Formats): (value: number) => string {
  const { tag, groupSeparator, decimalSeparator, smallestGrouped } = formats
  let format: Intl.NumberFormat | undefined
  return (value) => {
    const [, whole, fraction = ''] = PLAIN.exec(String(value)) ?? []
    if (whole !== undefined) {
      const isGrouped = whole.replace('-', '').length >= smallestGrouped
      const grouped = isGrouped ? whole.replace(GROUP_END, groupSeparator) : whole
      return grouped + fraction.replace('.', decimalSeparator)
    }
    // all digits: a limit of 0.0000001 must not be shown as 0
    format ??= new Intl.NumberFormat(tag, { maximumFractionDigits: 20 })
    return format.format(value)
  }
}

let state: LocaleState | undefined
const listeners = new Set<() => void>()

export function localeState(): LocaleState {
  if (!state) throw new Error('No language is loaded: await startLocale() before the first render')
  return state
}

/** The language that is shown, for `Intl`; undefined until one is loaded, which stands for that of the browser. */
export const shownTag = (): string | undefined => state?.formats.tag

export function subscribeToLocale(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Loads the texts in the chosen language or the browser's. */
export async function startLocale(): Promise<void> {
  await activate(preferredLanguage())
}

export async function changeLocale(language: Language): Promise<void> {
  storeChoice(STORAGE_KEY, language)
  // tells the console's server, which preloads the texts
  document.cookie = `${COOKIE}=${language}; Path=/; Max-Age=31536000; SameSite=Lax`
  await activate(language)
}

async function activate(language: Language): Promise<void> {
  state = await localeStateOf(language)
  document.documentElement.lang = LANGUAGE_TAGS[language]
  notifyListeners()
}

function notifyListeners() {
  for (const listener of listeners) listener()
}

function preferredLanguage(): Language {
  const stored = storedChoice(STORAGE_KEY)
  if (isLanguage(stored)) return stored
  const wanted = navigator.languages.map((tag) => tag.split('-')[0])
  return wanted.find(isLanguage) ?? LANGUAGES[0]
}
