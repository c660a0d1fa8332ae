import { loadWithRetry } from '../load-with-retry.ts'
import { storeChoice, storedChoice } from '../stored-choice.ts'
import { LOCALES, loadTexts, type Locale, type Texts } from './catalogue.ts'

const STORAGE_KEY = 'bundle-console.locale'
const COOKIE = 'console_language'

/** Everything that depends on the language; replaced as a whole when it changes. */
export type LocaleState = {
  readonly locale: Locale
  readonly texts: Texts
  readonly plural: Intl.PluralRules
  readonly formatNumber: (value: number) => string
}

export const localeStateOf = (locale: Locale, texts: Texts): LocaleState => ({
  locale,
  texts,
  plural: new Intl.PluralRules(locale),
  formatNumber: numberFormat(locale),
})

const PLAIN = /^(-?\d+)(\.\d+)?$/
const GROUP_END = /\B(?=(?:\d{3})+$)/g

/** Numbers as `Intl` has them in all our languages. Creating the first `NumberFormat` of a page is slow. */
function numberFormat(locale: Locale): (value: number) => string {
  let format: Intl.NumberFormat | undefined
  return (value) => {
    const [, whole, fraction = ''] = PLAIN.exec(String(value)) ?? []
    if (whole !== undefined) return whole.replace(GROUP_END, ',') + fraction
    // all digits: a limit of 0.0000001 must not be shown as 0
    format ??= new Intl.NumberFormat(locale, { maximumFractionDigits: 20 })
    return format.format(value)
  }
}

let state: LocaleState | undefined
const listeners = new Set<() => void>()

export function localeState(): LocaleState {
  if (!state) throw new Error('No language is loaded: await startLocale() before the first render')
  return state
}

export function subscribeToLocale(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Loads the texts in the chosen language or the browser's. */
export async function startLocale(): Promise<void> {
  await activate(preferredLocale())
}

export async function changeLocale(locale: Locale): Promise<void> {
  storeChoice(STORAGE_KEY, locale)
  // tells the console's server, which preloads the texts
  document.cookie = `${COOKIE}=${locale}; Path=/; Max-Age=31536000; SameSite=Lax`
  await activate(locale)
}

async function activate(locale: Locale): Promise<void> {
  state = localeStateOf(locale, await loadWithRetry(loadTexts[locale]))
  document.documentElement.lang = locale === 'zh' ? 'zh-Hans' : 'en'
  notifyListeners()
}

function notifyListeners() {
  for (const listener of listeners) listener()
}

function preferredLocale(): Locale {
  const stored = storedChoice(STORAGE_KEY)
  if (isLocale(stored)) return stored
  const wanted = navigator.languages.map((tag) => tag.split('-')[0])
  return wanted.find(isLocale) ?? 'en'
}

const isLocale = (value: unknown): value is Locale => LOCALES.some((locale) => locale === value)
