import { ApiError } from '../../../api/client.ts'
import { errorView } from '../../../i18n/describe-code.ts'
import type { Translate } from '../../../i18n/use-text.ts'

/** What is said of a save whose result is not known: no response arrived, or the platform could not save now and says why. */
export function uncertainTexts(error: unknown, t: Translate): { title: string; message: string } {
  const isRefused = error instanceof ApiError && error.problem.code === 'SERVICE_UNAVAILABLE'
  if (!isRefused)
    return { title: t('configuration.uncertain.title'), message: t('configuration.uncertain.message') }
  const { message: reason } = errorView(error)
  return {
    title: t('configuration.unavailable.title'),
    message: t('configuration.unavailable.message', { reason }),
  }
}
