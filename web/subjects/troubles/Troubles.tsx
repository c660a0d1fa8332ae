import { useQuery } from '@tanstack/react-query'
import type { Operation, Trouble } from '#contract/console-api/shapes.ts'
import { troublesCall } from '#contract/console-api/pages/overview.ts'
import { apiQuery } from '../../api/query.ts'
import { TROUBLES_MS, followInterval } from '../../api/refetch-interval.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Notice } from '../../ui/Notice.tsx'
import { Time } from '../../ui/Time.tsx'
import { useShell } from '../shell/shell-context.ts'

/** What keeps the platform itself from working; empty while it works, and while that is not known. */
export function useTroubles(): readonly Trouble[] {
  const { user } = useShell()
  const { data } = useQuery({
    ...apiQuery('GET /troubles', troublesCall),
    enabled: user !== null,
    // no event announces them
    refetchInterval: ({ state: { error } }) => followInterval(error, TROUBLES_MS),
  })
  return data?.items ?? []
}

/** Tells what keeps the platform from working, and what that means. */
export function TroubleNotices() {
  return useTroubles().map((trouble) => <TroubleNotice key={trouble.kind} trouble={trouble} of="platform" />)
}

/** Tells that an operation which has not ended waits for the platform, and not for its plugin. */
export function OperationTroubles({ operation: { state } }: { operation: Pick<Operation, 'state'> }) {
  const troubles = useTroubles()
  if (state !== 'PENDING' && state !== 'RUNNING' && state !== 'WAITING') return null
  return troubles.map((trouble) => <TroubleNotice key={trouble.kind} trouble={trouble} of="operation" />)
}

function TroubleNotice({ trouble: { kind, since }, of }: { trouble: Trouble; of: 'platform' | 'operation' }) {
  const t = useText()
  const rich = useRichText()
  return (
    <Notice tone="error" live title={t(`troubles.${kind}`)}>
      <p>
        {rich(kind === 'NO_WORKER' ? 'troubles.NO_WORKER.since' : 'troubles.since', {
          time: <Time at={since} />,
        })}{' '}
        {t(`troubles.${kind}.${of}`)}
      </p>
      <p>{t(`troubles.${kind}.administrator`)}</p>
    </Notice>
  )
}
