import { useQuery } from '@tanstack/react-query'
import type { Operation, Trouble } from '#contract/console-api/shapes.ts'
import { troublesCall } from '#contract/console-api/pages/overview.ts'
import { apiQuery, TROUBLES_MS, followInterval } from '../../api/query.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Notice } from '../../ui/Notice.tsx'
import { Time } from '../../ui/Time.tsx'
import { useShell } from '../shell/shell-context.ts'

/** A standby that serves no reads makes lists slower; nothing waits for it. */
type Harmless = 'STANDBY_UNUSED'
type Harmful = Trouble & { kind: Exclude<Trouble['kind'], Harmless> }
const isHarmful = (trouble: Trouble): trouble is Harmful => trouble.kind !== 'STANDBY_UNUSED'

/** What keeps the platform itself from working; empty while it works, and while that is not known. */
export function useTroubles(): readonly Harmful[] {
  return useAllTroubles().filter(isHarmful)
}

function useAllTroubles(): readonly Trouble[] {
  const { user } = useShell()
  const { data } = useQuery({
    ...apiQuery('GET /troubles', troublesCall),
    enabled: user !== null,
    // no event announces them
    refetchInterval: ({ state: { error } }) => followInterval(error, TROUBLES_MS),
  })
  return data?.items ?? []
}

/** Tells what keeps the platform from working or makes it slower, and what that means. */
export function TroubleNotices() {
  const t = useText()
  return useAllTroubles().map((trouble) => (
    <TroubleNotice key={trouble.kind} trouble={trouble} text={t(`troubles.${trouble.kind}.platform`)} />
  ))
}

/** Tells that an operation which has not ended waits for the platform, and not for its plugin. */
export function OperationTroubles({ operation: { state } }: { operation: Pick<Operation, 'state'> }) {
  const t = useText()
  const troubles = useTroubles()
  if (state !== 'PENDING' && state !== 'RUNNING' && state !== 'WAITING') return null
  return troubles.map((trouble) => (
    <TroubleNotice key={trouble.kind} trouble={trouble} text={t(`troubles.${trouble.kind}.operation`)} />
  ))
}

function TroubleNotice({ trouble, text }: { trouble: Trouble; text: string }) {
  const { kind, since } = trouble
  const t = useText()
  const rich = useRichText()
  return (
    <Notice tone={isHarmful(trouble) ? 'error' : 'warn'} live title={t(`troubles.${kind}`)}>
      <p>
        {rich(kind === 'NO_WORKER' ? 'troubles.NO_WORKER.since' : 'troubles.since', {
          time: <Time at={since} />,
        })}{' '}
        {text}
      </p>
      <p>{t(`troubles.${kind}.administrator`)}</p>
    </Notice>
  )
}
