import type { BatchPlan } from '#contract/console-api/shapes.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Notice } from '../../../ui/Notice.tsx'
import { failureCodeTitle } from '../../../i18n/describe-code.ts'

/** Warns of failures that are marked as not retryable, with their number by error. */
export function RetryNotice({ plan }: { plan: BatchPlan | undefined }) {
  const t = useText()
  const ready = plan?.items.filter(({ problems }) => problems.length === 0) ?? []
  const codes = ready.flatMap(({ failure }) =>
    failure !== null && !failure.retryable ? [failure.errorCode] : [],
  )
  if (codes.length === 0) return null
  const groups = [...Map.groupBy(codes, (code) => code)].toSorted(([, a], [, b]) => b.length - a.length)
  return (
    <Notice tone="warn" title={t('batches.make.retry.title', { n: codes.length, of: ready.length })}>
      <p>{t('batches.make.retry.text')}</p>
      <ul className="mt-1 list-disc pl-5">
        {groups.map(([code, failures]) => (
          <li key={code}>
            {t('batches.make.retry.code', { title: failureCodeTitle(code), n: failures.length })}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
