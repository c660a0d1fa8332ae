import type { Pause } from '#contract/console-api/shapes.ts'
import { joinList } from '../../i18n/punctuation.ts'
import type { Translate } from '../../i18n/use-text.ts'
import { scopeText } from '../scopes/scope-text.ts'

/** What is paused, as a title or a question names it. */
export function nameOfPaused(of: Pause['of'], t: Translate): string {
  if (of.kind === 'OPERATION')
    return t('operations.name', { type: t(`vocabulary.type.${of.operationType}`), bundle: of.title })
  return of.kind === 'SCOPE' ? scopeText(of.scope) : of.title
}

/** What somebody has to resume, and where, as part of a sentence about the operation that it holds. */
export const pausedText = (pauses: readonly Pause[], t: Translate): string =>
  pauses.length === 0
    ? t('pauses.what')
    : joinList(
        t,
        pauses.map(({ of }) => t(`pauses.what.${of.kind}`, { name: nameOfPaused(of, t) })),
      )
