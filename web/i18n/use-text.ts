import { createElement, Fragment, useSyncExternalStore, type ReactNode } from 'react'
import type { Catalogue, Namespace } from './texts.ts'
import { localeState, subscribeToLocale, type LocaleState } from './locale.ts'
import { choose, cut, type ArgumentsOf, type Message, type Messages } from './messages.ts'

type Keys = {
  [Name in keyof Catalogue]: `${Name}.${keyof Catalogue[Name] & string}`
}[keyof Catalogue]

/** Every key of every namespace: `recovery.retry.title`. */
export type TextKey = Keys

type MessageAt<Key extends TextKey> = Key extends `${infer Name}.${infer Rest}`
  ? Name extends keyof Catalogue
    ? Rest extends keyof Catalogue[Name]
      ? Catalogue[Name][Rest]
      : never
    : never
  : never

/** Keys of texts without parameters, for tables of labels. */
export type PlainTextKey = {
  [Key in TextKey]: ArgumentsOf<MessageAt<Key>> extends [] ? Key : never
}[TextKey]

export type Translate = <Key extends TextKey>(key: Key, ...args: ArgumentsOf<MessageAt<Key>>) => string

/** Like `t`, but parameters may be elements: links, badges, ids inside a sentence. */
export type TranslateRich = <Key extends TextKey>(
  key: Key,
  ...args: ArgumentsOf<MessageAt<Key>, ReactNode>
) => ReactNode

const BEGINS_IN_CHINESE = /^\p{sc=Han}/u
const ENDS_IN_CHINESE = /\p{sc=Han}$/u

type Bound = { t: Translate; rich: TranslateRich }
const bound = new WeakMap<LocaleState, Bound>()

/** The texts in the current language. */
export function useText(): Translate {
  return useBound().t
}

export function useRichText(): TranslateRich {
  return useBound().rich
}

/** For use outside of components, such as a Markdown export. */
export function currentText(): Translate {
  return translateIn(localeState())
}

/** The texts of a given language, independent of the current one. */
export const translateIn = (state: LocaleState): Translate => bind(state).t

function useBound(): Bound {
  return bind(useSyncExternalStore(subscribeToLocale, localeState))
}

function bind(state: LocaleState): Bound {
  const known = bound.get(state)
  if (known) return known
  const made: Bound = {
    t: (key: string, parameters?: Record<string, unknown>) => fill(state, key, parameters).join(''),
    rich: (key: string, parameters?: Record<string, unknown>) =>
      fill(state, key, parameters).map((part, index) => createElement(Fragment, { key: index }, part)),
  }
  bound.set(state, made)
  return made
}

function fill(state: LocaleState, key: string, parameters: Record<string, unknown> = {}): ReactNode[] {
  const text = choose(find(state, key), parameters.n, state.plural)
  if (!text.includes('{')) return [text]
  const parts = cut(text).map((part, index) => {
    if (index % 2 === 0) return part
    const value = parameters[part]
    // numbers are formatted for the locale; anything else is the caller's text or element
    return typeof value === 'number' ? state.formatNumber(value) : (value as ReactNode)
  })
  return parts.map((part, index) =>
    index % 2 === 0 ? joined(part as string, parts[index - 1], parts[index + 1]) : part,
  )
}

/**
 * A Chinese text puts spaces around a placeholder, because most values are Latin; a Chinese value has none. A value that
 * somebody typed stays as it is.
 */
const joined = (text: string, before: ReactNode, after: ReactNode): string =>
  text.replaceAll(/^ (?=\p{sc=Han})|(?<=\p{sc=Han}) $/gu, (space, at: number) => {
    const isChinese = at === 0 ? isText(before, ENDS_IN_CHINESE) : isText(after, BEGINS_IN_CHINESE)
    return isChinese ? '' : space
  })

const isText = (value: ReactNode, form: RegExp) => typeof value === 'string' && form.test(value)

function find(state: LocaleState, key: string): Message {
  const dot = key.indexOf('.')
  const messages: Messages = state.texts[key.slice(0, dot) as Namespace]
  return messages[key.slice(dot + 1)] ?? key
}
