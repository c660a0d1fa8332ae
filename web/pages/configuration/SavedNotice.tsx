import { useQuery } from '@tanstack/react-query'
import type { Operation } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon, type IconName } from '../../ui/icons/Icon.tsx'
import { TextLink } from '../../ui/Link.tsx'
import { OperationBadge } from '../../ui/StateBadge.tsx'
import { Countdown, Duration } from '../../ui/Time.tsx'
import { useEditor } from './editor/editor-context.ts'
import type { SavedSnapshot } from './editor/use-save.ts'
import { messageText } from '../../i18n/message-text.ts'

/** A save is not a success yet: shows the progress of each of its operations until it has ended. */
export function SavedNotice({ saved, onDismiss }: { saved: SavedSnapshot; onDismiss: () => void }) {
  const t = useText()
  const { titleOf } = useEditor()
  const operations = useOperations(saved.operations)
  if (operations.length === 0) {
    return (
      <Frame icon="info" tint="text-muted" title={t('configuration.saved.nothing')} onDismiss={onDismiss}>
        {t('configuration.saved.nothing.message', { version: String(saved.version) })}
      </Frame>
    )
  }
  const states = operations.map(({ state }) => state)
  const isDone = states.every((state) => state === 'SUCCEEDED')
  const isStuck = states.some((state) => state === 'FAILED' || state === 'TAKEN_OVER')
  const [icon, tint]: [IconName, string] = isDone
    ? ['done', 'text-ok']
    : isStuck
      ? ['failed', 'text-fail']
      : ['running', 'text-live']
  return (
    <Frame
      icon={icon}
      tint={tint}
      title={t(
        isDone
          ? 'configuration.saved.done'
          : isStuck
            ? 'configuration.saved.failed'
            : 'configuration.saved.running',
        { version: String(saved.version) },
      )}
      onDismiss={onDismiss}
    >
      <ul className="max-h-40 overflow-y-auto">
        {operations.map((operation) => (
          <li key={operation.operationId} className="flex flex-wrap items-center gap-x-3 gap-y-0.5 py-0.5">
            <TextLink to={paths.operation(operation.operationId)}>
              {t('configuration.plan.runs', {
                type: t(`vocabulary.type.${operation.operationType}`),
                bundle: titleOf(operation.installation),
              })}
            </TextLink>
            <OperationBadge state={operation.state} />
            <Progress operation={operation} />
          </li>
        ))}
      </ul>
    </Frame>
  )
}

function Progress({ operation }: { operation: Operation }) {
  const t = useText()
  const rich = useRichText()
  const { state, phase, nextAttemptAt, failure, startedAt, finishedAt } = operation
  if (state === 'WAITING' && nextAttemptAt !== null) {
    return (
      <span className="text-muted">
        {rich('configuration.saved.retriesIn', { time: <Countdown to={nextAttemptAt} /> })}
      </span>
    )
  }
  if (failure !== null && state === 'FAILED') {
    return <span className="min-w-0 text-muted wrap-anywhere">{messageText(failure)}</span>
  }
  if (state === 'SUCCEEDED' && startedAt !== null && finishedAt !== null) {
    return (
      <span className="text-faint">
        <Duration ms={Date.parse(finishedAt) - Date.parse(startedAt)} />
      </span>
    )
  }
  return phase === 'DONE' ? null : <span className="text-muted">{t(`vocabulary.phase.${phase}`)}</span>
}

function Frame({
  icon,
  tint,
  title,
  onDismiss,
  children,
}: {
  icon: IconName
  tint: string
  title: string
  onDismiss: () => void
  children: React.ReactNode
}) {
  const t = useText()
  return (
    <section role="status" className="flex gap-2.5 py-2 pr-2 pl-4">
      <Icon name={icon} className={`mt-0.5 ${tint}`} />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{title}</p>
        <div>{children}</div>
      </div>
      <Button variant="quiet" size="sm" icon="close" label={t('common.close')} onClick={onDismiss} />
    </section>
  )
}

/** The current operations of a save; the event stream keeps them up to date. */
function useOperations(started: readonly Operation[]): readonly Operation[] {
  const first = started[0]
  const ids = new Set(started.map(({ operationId }) => operationId))
  const { environmentKey, applicationRuntimeId, workspaceId } = first?.installation ?? NO_SCOPE
  const query = {
    environmentKey,
    applicationRuntimeId,
    workspaceId,
    since: first?.createdAt ?? EPOCH,
    limit: 200,
  }
  const { data } = useQuery({ ...apiQuery('GET /operations', { query }), enabled: first !== undefined })
  const now = data?.items.filter(({ operationId }) => ids.has(operationId)) ?? []
  return started.map((one) => now.find(({ operationId }) => operationId === one.operationId) ?? one)
}

const EPOCH = '1970-01-01T00:00:00.000Z'
const NO_SCOPE = { environmentKey: '-', applicationRuntimeId: '-', workspaceId: 0 }
