import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { formatUtcTime } from '../../../../i18n/format.ts'
import { joinSentences } from '../../../../i18n/punctuation.ts'
import type { Translate } from '../../../../i18n/use-text.ts'
import type { Decision } from '../failure/context-evidence.ts'
import { plainText } from './plain-text.ts'

/** Who decided what stands in the way, when and why, as the page says it; null if nobody did. */
export function decidedText(
  operation: OperationDetail,
  decision: Decision | null,
  pluginId: string | undefined,
  t: Translate,
): string | null {
  const words = ({ at, by, reason }: Pick<Decision, 'at' | 'by' | 'reason'>) => ({
    time: formatUtcTime(Date.parse(at)),
    person: plainText(by.name),
    reason: reason === null ? t('operations.field.noReason') : plainText(reason),
  })
  const retired = operation.plugins.find((plugin) => plugin.pluginId === pluginId)?.retired
  if (operation.state === 'FAILED' && retired != null)
    return joinSentences(t, [
      t('operations.remedy.retired', words(retired)),
      t(
        operation.operationType === 'DETACH'
          ? 'operations.remedy.retired.retry'
          : 'operations.remedy.TAKE_OVER',
      ),
    ])
  return decision && t(`operations.remedy.${decision.kind}`, words(decision))
}
