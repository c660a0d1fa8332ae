import { loadWithRetry } from '../load-with-retry.ts'
import { storeChoice, storedChoice } from '../stored-choice.ts'
import {
  coreTexts,
  LOCALES,
  pageTexts,
  type Locale,
  type Namespace,
  type PageNamespace,
} from './catalogue.ts'
import type { Messages } from './messages.ts'

const STORAGE_KEY = 'bundle-console.locale'
const COOKIE = 'console_language'

/** Everything that depends on the language; replaced as a whole when it changes. */
export type LocaleState = {
  readonly locale: Locale
  readonly texts: Readonly<Partial<Record<Namespace, Messages>>>
  readonly plural: Intl.PluralRules
  readonly formatNumber: (value: number) => string
}

export const localeStateOf = (locale: Locale, texts: LocaleState['texts']): LocaleState => ({
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

/** Sets the language of the next render on the server, with all texts. */
export function setLocaleState(next: LocaleState): void {
  state = next
  resolveStarted()
}

export function subscribeToLocale(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Loads the texts that every page needs, in the chosen language or the browser's. */
export async function startLocale(): Promise<void> {
  await activate(preferredLocale(), [])
}

/** Loads the texts of a page, in parallel with the page and, at the start, with the core texts. */
export async function loadTexts(namespaces: readonly PageNamespace[]): Promise<void> {
  const locale = state?.locale ?? preferredLocale()
  const missing = namespaces.filter((namespace) => !state?.texts[namespace])
  if (missing.length === 0) return
  const loaded = await load(locale, missing)
  await started
  const now = localeState()
  // the language has changed in the meantime: the loaded texts are of the old one
  if (now.locale !== locale) return loadTexts(namespaces)
  state = { ...now, texts: { ...now.texts, ...loaded } }
  notifyListeners()
}

export async function changeLocale(locale: Locale): Promise<void> {
  storeChoice(STORAGE_KEY, locale)
  // tells the console's server, which preloads the texts
  document.cookie = `${COOKIE}=${locale}; Path=/; Max-Age=31536000; SameSite=Lax`
  const shown = Object.keys(localeState().texts).filter(
    (name): name is PageNamespace => name in pageTexts[locale],
  )
  await activate(locale, shown)
}

let resolveStarted: () => void
const started = new Promise<void>((resolve) => (resolveStarted = resolve))

async function activate(locale: Locale, namespaces: readonly PageNamespace[]): Promise<void> {
  const [core, pages] = await Promise.all([loadWithRetry(coreTexts[locale]), load(locale, namespaces)])
  state = localeStateOf(locale, { ...core, ...pages })
  document.documentElement.lang = locale === 'zh' ? 'zh-Hans' : 'en'
  resolveStarted()
  notifyListeners()
}

async function load(locale: Locale, namespaces: readonly PageNamespace[]) {
  const entries = namespaces.map(
    async (name) => [name, await loadWithRetry(pageTexts[locale][name])] as const,
  )
  return Object.fromEntries(await Promise.all(entries))
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
