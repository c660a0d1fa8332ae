import type { BatchPlan } from '#contract/console-api/shapes.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { Field } from '../../../ui/Field.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Select } from '../../../ui/Select.tsx'
import { NumberInput } from '../../../ui/TextInput.tsx'
import { EnvironmentContext, EnvironmentWord } from '../../../ui/EnvironmentMark.tsx'
import { useShell } from '../../shell/shell-context.ts'
import type { BatchTarget, BundleTargets } from '../bundle-targets.ts'
import { BrokenList } from '../../references/BrokenReferences.tsx'
import { failureCodeTitle } from '../../../i18n/describe-code.ts'

/** How many of the targets are in each marked environment, in view beside the button that starts the batch. */
export function MarkedTargets({ targets }: { targets: readonly BatchTarget[] }) {
  const t = useText()
  const { environmentMarks } = useShell()
  const marked = environmentMarks.flatMap((mark) => {
    const n = targets.filter(({ installation }) => installation.environmentKey === mark.environmentKey).length
    return n === 0 ? [] : [{ mark, n }]
  })
  if (marked.length === 0) return null
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
      {marked.map(({ mark, n }) => (
        <span key={mark.environmentKey} className="flex items-center gap-1.5">
          <EnvironmentContext value={mark}>
            <EnvironmentWord />
          </EnvironmentContext>
          {t('batches.make.marked', { n, of: targets.length })}
        </span>
      ))}
    </p>
  )
}

/**
 * What is lost when the targets are detached, or taken over and detached, and which references of other installations stop
 * resolving. Empty if every target is refused.
 *
 * @param id Of the part that a screen reader reads with the title of the dialog.
 */
export function DetachNotice({
  id,
  action,
  plan,
  count,
}: {
  id: string
  action: 'DETACH' | 'TAKEOVER'
  plan: BatchPlan | undefined
  count: number
}) {
  const t = useText()
  const ready = plan?.items.filter(({ problems }) => problems.length === 0)
  const resources = ready?.reduce((sum, item) => sum + item.resources, 0)
  if (ready?.length === 0) return null
  return (
    <>
      <div id={id}>
        <Notice
          tone="error"
          icon="warning"
          title={t(action === 'DETACH' ? 'batches.make.detach.title' : 'batches.make.takeover.title', {
            n: ready?.length ?? count,
          })}
        >
          <ul className="list-disc space-y-1 pl-5">
            {action === 'TAKEOVER' && <li>{t('batches.make.takeover.ends')}</li>}
            {resources !== undefined && <li>{t('batches.make.detach.resources', { n: resources })}</li>}
            <li>{t('batches.make.detach.references')}</li>
            <li>{t('batches.make.detach.forever')}</li>
          </ul>
        </Notice>
      </div>
      {plan?.broken && (
        <BrokenList
          references={plan.broken.items}
          isMore={plan.broken.hasMore}
          none={t('batches.make.broken.none')}
          all={t('batches.make.broken.all')}
        />
      )}
    </>
  )
}

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

/** Which bundle is upgraded, if the targets have several. */
export function BundleField({
  bundles,
  value,
  onChange,
}: {
  bundles: readonly BundleTargets[]
  value: string
  onChange: (key: string) => void
}) {
  const t = useText()
  return (
    <Field label={t('batches.make.bundle')} help={t('batches.make.bundle.others')}>
      {(wiring) => (
        <Select
          {...wiring}
          value={value}
          options={bundles.map(({ key, environmentKey, bundleId, targets }) => ({
            value: key,
            label: `${environmentKey}/${bundleId} (${targets.length})`,
          }))}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

/** The number of targets, typed to confirm what cannot be undone. */
export function CountField({
  count,
  value,
  onChange,
}: {
  count: string
  value: string
  onChange: (typed: string) => void
}) {
  const rich = useRichText()
  const word = <span className="mono font-semibold">{count}</span>
  return (
    <Field label={rich('common.confirm.type', { word })} className="w-56" need="required">
      {(wiring) => (
        <NumberInput {...wiring} value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  )
}
