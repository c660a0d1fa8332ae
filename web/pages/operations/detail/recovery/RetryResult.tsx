import type { Failure, OperationDetail } from '#contract/console-api/shapes.ts'
import { messageText } from '../../../../i18n/message-text.ts'
import { useRichText, useText } from '../../../../i18n/use-text.ts'
import { Notice } from '../../../../ui/Notice.tsx'
import { Time } from '../../../../ui/Time.tsx'
import { failureTitle } from '../../../../subjects/operations/describe-failure.ts'

/** What the last retry changed: success, the same failure again, or another one. */
export function RetryResult({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const rich = useRichText()
  const { failure, finishedAt, state } = operation
  const retry = operation.retries.at(-1)
  if (retry === undefined || finishedAt === null || (state !== 'SUCCEEDED' && state !== 'FAILED')) return null
  const isSame = failure !== null && retry.failure !== null && isSameFailure(failure, retry.failure)
  return (
    <Notice tone={state === 'SUCCEEDED' ? 'ok' : 'warn'} live>
      {rich(state === 'SUCCEEDED' ? 'operations.retried.succeeded' : 'operations.retried.failed', {
        time: <Time at={finishedAt} exact className="max-sm:whitespace-normal" />,
        person: retry.startedBy.name,
      })}{' '}
      {state === 'FAILED' &&
        retry.failure !== null &&
        (isSame
          ? t('operations.retried.same')
          : t('operations.retried.other', { failure: failureTitle(retry.failure, t) }))}
      {/* on a separate line: what a person typed need not end like a sentence */}
      {retry.reason !== null && <p>{t('operations.retried.reason', { reason: retry.reason })}</p>}
    </Notice>
  )
}

function isSameFailure(one: Failure, other: Failure): boolean {
  return one.errorCode === other.errorCode && messageText(one) === messageText(other)
}
