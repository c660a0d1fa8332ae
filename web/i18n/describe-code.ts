import { useSyncExternalStore } from 'react'
import type { CatalogueEntry } from '#contract/console-api/connection-codes.ts'
import type { Problem } from '#contract/console-api/console-problem.ts'
import { ApiError } from '../api/client.ts'
import { localeState, subscribeToLocale } from './locale.ts'
import { messageText } from './message-text.ts'
import { currentText, type Translate } from './use-text.ts'

/** An error, described with the catalog of codes. */
export type ErrorView = {
  title: string
  message: string
  remedy?: string | undefined
  code?: string | undefined
  requestId?: string | undefined
  retryable?: boolean | undefined
  errorPath?: readonly string[] | undefined
}

/** The title of a code in the current language; an unknown code is its own title. */
export function codeTitle(code: string): string {
  const title = localeState().texts.codeTitles[code]
  return typeof title === 'string' ? title : code
}

/**
 * What an operation failed with, in a few words: the title of a code of the runtime. A plugin's own code stays as it is,
 * because it means what the plugin says, even if this platform uses the same one.
 */
export const failureCodeTitle = (code: string): string =>
  code.startsWith('PLUGIN_') ? codeTitle(code) : code

/** The texts of a code in the current language; null for one that this language takes from the response. */
function textsOf(code: string): CatalogueEntry | null {
  const texts = localeState().texts.codes
  const [title, message, remedy] = [texts[`${code}.title`], texts[`${code}.message`], texts[`${code}.remedy`]]
  const isKnown = typeof title === 'string' && typeof message === 'string' && typeof remedy === 'string'
  return isKnown ? { title, message, remedy } : null
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
  if (isOfAddress(problem)) {
    const t = currentText()
    return {
      title: t('errors.address.title'),
      message: t('errors.address.message'),
      remedy: t('errors.address.remedy'),
      code: problem.code,
      requestId: problem.requestId || undefined,
    }
  }
  const texts = textsOf(problem.code) ?? problem
  return {
    title: texts.title,
    // a summary of several details has no parameters; the details are translated where they are listed
    message: (isSummary(problem) ? texts.message : messageText(problem)) || texts.message,
    remedy: texts.remedy,
    code: problem.code,
    requestId: problem.requestId || undefined,
    errorPath: problem.errorPath,
  }
}

/** Whether only ids of the address were refused, which the person may have mistyped. */
const isOfAddress = ({ code, details = [] }: Problem): boolean =>
  code === 'REQUEST_INVALID' && details.length > 0 && details.every(({ path }) => path?.startsWith('path.'))

/** Whether sending a request again cannot succeed, because what it names does not exist. */
export const namesNothing = ({ code }: ErrorView): boolean =>
  code === 'NOT_FOUND' || code === 'REQUEST_INVALID'

/** Why what is shown may be out of date. Of a read without a response, nobody asks whether it arrived. */
export const outdatedReason = (error: ErrorView, t: Translate): string =>
  error.code === 'NETWORK_LOST' ? t('common.list.lost') : error.message

const isSummary = ({ parameters, details = [] }: Problem): boolean =>
  parameters === undefined && details.some((detail) => detail.parameters !== undefined)

/** `error` for `Table`, `ErrorState` and dialogs; null while there is none. */
export function useErrorView(error: unknown): ErrorView | null {
  useSyncExternalStore(subscribeToLocale, localeState)
  return error === null || error === undefined ? null : errorView(error)
}
