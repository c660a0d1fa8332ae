import { useSyncExternalStore } from 'react'
import type { CatalogueEntry } from '#contract/console-api/catalogue.ts'
import { ApiError } from '../api/client.ts'
import { localeState, subscribeToLocale } from '../i18n/locale.ts'
import { messageText } from '../i18n/message-text.ts'
import type { ErrorView } from '../ui/ErrorState.tsx'
import { currentText } from '../i18n/use-text.ts'

/** The title, message and remedy of a code in the current language; an unknown code is its own title. */
export function describeCode(code: string): CatalogueEntry {
  const texts = localeState().texts.codes ?? {}
  const text = (part: keyof CatalogueEntry) => {
    const found = texts[`${code}.${part}`]
    return typeof found === 'string' ? found : undefined
  }
  const t = currentText()
  return {
    title: text('title') ?? code,
    message: text('message') ?? t('errors.unknown.message'),
    remedy: text('remedy') ?? t('errors.unknownCode.remedy'),
  }
}

/** Any error of a query or a write as texts for people. Use `useErrorView` in components. */
export function errorView(error: unknown): ErrorView {
  if (!(error instanceof ApiError)) {
    const t = currentText()
    return {
      title: t('errors.unknown.title'),
      message: t('errors.unknown.message'),
      remedy: t('errors.unknown.remedy'),
    }
  }
  const { problem } = error
  const known = localeState().texts.codes?.[`${problem.code}.title`] !== undefined
  const texts = known ? describeCode(problem.code) : problem
  return {
    title: texts.title,
    message: messageText(problem) || texts.message,
    remedy: texts.remedy,
    code: problem.code,
    requestId: problem.requestId || undefined,
    errorPath: problem.errorPath,
  }
}

/** `error` for `Table`, `ErrorState` and dialogs; null while there is none. */
export function useErrorView(error: unknown): ErrorView | null {
  useSyncExternalStore(subscribeToLocale, localeState)
  return error === null || error === undefined ? null : errorView(error)
}
