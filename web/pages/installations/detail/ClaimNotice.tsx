import type { Claim, NextStep } from '#contract/console-api/shapes.ts'
import { LabelledNextStep } from '../../../subjects/operations/NextStepText.tsx'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { LinkButton } from '../../../ui/Link.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { claimLook } from '../../../ui/states.ts'
import { Time } from '../../../ui/Time.tsx'

const TONE = { PENDING: 'info', RUNNING: 'info', WAITING: 'warn', FAILED: 'error' } as const

/**
 * The operation that holds the installation's claim: its type, who requested it, since when, and that nothing else can
 * change it meanwhile.
 */
export function ClaimNotice({ claim, nextStep }: { claim: Claim; nextStep: NextStep }) {
  const t = useText()
  const rich = useRichText()
  const type = t(`vocabulary.type.${claim.operationType}`)
  const isFailed = claim.state === 'FAILED'
  return (
    <Notice
      tone={TONE[claim.state]}
      icon={claimLook[claim.state].icon}
      live
      title={
        isFailed
          ? t('installations.lock.title.failed', { type })
          : claim.state === 'WAITING'
            ? t('installations.lock.title.waiting', { type })
            : t('installations.lock.title', { type })
      }
      actions={
        <LinkButton to={paths.operation(claim.operationId)} size="sm">
          {t('installations.lock.open')}
        </LinkButton>
      }
    >
      {rich(isFailed ? 'installations.lock.text.failed' : 'installations.lock.text', {
        who: claim.requestedBy.name,
        since: <Time at={claim.since} />,
      })}
      <LabelledNextStep nextStep={nextStep} />
    </Notice>
  )
}
