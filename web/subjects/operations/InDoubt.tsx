import type { Operation } from '#contract/console-api/shapes.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Badge, type BadgeLook } from '../../ui/Badge.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Time } from '../../ui/Time.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { isInDoubt } from './in-doubt.ts'

/** Beside the state of an operation; nothing unless it is in doubt. */
export function InDoubtBadge({
  operation,
  look = 'plain',
  className,
}: {
  operation: Pick<Operation, 'inDoubtSince' | 'state'>
  look?: BadgeLook
  className?: string
}) {
  const t = useText()
  if (!isInDoubt(operation)) return null
  return (
    <Tooltip text={t('operations.inDoubt.meaning')}>
      {(target) => (
        <Badge {...target} tone="doubt" icon="warning" look={look} className={className}>
          {t('operations.inDoubt')}
        </Badge>
      )}
    </Tooltip>
  )
}

/** What to do about an operation in doubt; of one that is over, only that it was. */
export function InDoubtNotice({ operation }: { operation: Operation }) {
  const t = useText()
  const rich = useRichText()
  const { inDoubtSince = null } = operation
  if (inDoubtSince === null) return null
  const since = rich('operations.inDoubt.since', { time: <Time at={inDoubtSince} exact /> })
  if (!isInDoubt(operation)) return <Notice>{since}</Notice>
  return (
    <Notice tone="warn" title={t('operations.inDoubt')}>
      {since} {t('operations.remedy.CHECK_IN_DOUBT')}
    </Notice>
  )
}
