import { useQueries, type UseQueryResult } from '@tanstack/react-query'
import { pausesOfOperationCall } from '#contract/console-api/pages/pauses.ts'
import type { Batch, ChangePlan, ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { messageText } from '../../i18n/message-text.ts'
import { labelled } from '../../i18n/punctuation.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { batchProgressText } from '../../subjects/batch/batch-counts.ts'
import { needsPerson } from '../../subjects/batch/batch-looks.ts'
import { changeLook, undoneOf, type Counted } from '../../subjects/change-requests/change-looks.ts'
import { Pauses } from '../../subjects/gate/Pauses.tsx'
import type { Titles } from '../../subjects/manifest/use-titles.ts'
import { Notice } from '../../ui/Notice.tsx'
import { Time } from '../../ui/Time.tsx'
import { isFrozenOnlyBefore, isReady, Problems, wouldBeRefused } from './PlannedChange.tsx'

/** What the state of a request means, what it waits for, and what to do. */
export function StateNotice({
  request,
  batch,
  plan,
  titles,
}: {
  request: ChangeRequestDetail & Counted
  batch: UseQueryResult<Batch>
  plan: UseQueryResult<ChangePlan>
  titles: Titles
}) {
  const t = useText()
  const rich = useRichText()
  const { kind, state, failure, schedule, approvalsNeeded, batchId, counts, may } = request
  const isFree = state === 'OPEN' && approvalsNeeded === 0
  const started = useOperations(request)
  const results = new Set(started.map((operation) => operation && (operation.data?.state ?? null)))
  const isStuck = state === 'APPLYING' && results.has('FAILED')
  const isPaused =
    state === 'APPLYING' && started.some((operation) => operation?.data?.nextStep.action === 'RESUME')
  const isPartial = state === 'APPLIED' && results.has('TAKEN_OVER')
  // what it skipped or refused, or what failed, has not taken effect
  const undone = undoneOf(request)
  const isIncomplete = counts !== undefined && undone !== null
  const isHeldUp =
    state === 'APPLYING' &&
    batch.data !== undefined &&
    (batch.data.state === 'PAUSED' || needsPerson(batch.data))
  const isToApply = isReady(request)
  const isLoading =
    (isToApply && plan.isPending) || results.has(undefined) || (batchId !== null && batch.isPending)
  // what its time was chosen for is no warning
  const isAfterFreezes =
    state === 'SCHEDULED' && schedule !== null && isFrozenOnlyBefore(schedule.notBefore, plan.data)
  const isRefused = wouldBeRefused(plan.data) && !isAfterFreezes
  const tone =
    state === 'CONFLICTED' || state === 'REFUSED' || isStuck
      ? 'error'
      : state === 'EXPIRED' || isPartial || isIncomplete || isPaused || isHeldUp || (isToApply && isRefused)
        ? 'warn'
        : 'info'
  const times =
    schedule === null
      ? null
      : {
          from: <Time at={schedule.notBefore} exact="minute" />,
          to: <Time at={schedule.notAfter} exact="minute" />,
        }
  return (
    <Notice
      tone={tone}
      icon={isStuck ? 'failed' : tone === 'warn' ? 'warning' : isFree ? 'info' : changeLook[state].icon}
      // the plan tells whether it can be applied, and its operations and batch how they ended; until then, nothing is read aloud that may be wrong
      className={isLoading ? 'invisible' : undefined}
      live
    >
      {state === 'SCHEDULED' && times !== null
        ? rich(isRefused ? 'changes.about.SCHEDULED.refused' : 'changes.about.SCHEDULED', times)
        : isFree
          ? t(isRefused ? 'changes.about.OPEN.free.refused' : 'changes.about.OPEN.free')
          : isIncomplete
            ? t(endOfBatch(counts, batch.data?.state), { progress: batchProgressText(counts, t) })
            : state === 'SCHEDULED' || state === 'APPROVED'
              ? t(
                  isRefused
                    ? 'changes.about.APPROVED.refused'
                    : may.apply
                      ? 'changes.about.APPROVED'
                      : 'changes.about.APPROVED.others',
                )
              : t(
                  isStuck
                    ? 'changes.about.APPLYING.failed'
                    : isPaused
                      ? 'changes.about.APPLYING.paused'
                      : isHeldUp
                        ? 'changes.about.APPLYING.batch'
                        : isPartial
                          ? 'changes.about.APPLIED.partly'
                          : `changes.about.${state}`,
                )}
      {isToApply && isRefused && <Problems plan={plan.data} titles={titles} />}
      {(state === 'REJECTED' || state === 'WITHDRAWN') && <LastWords request={request} />}
      {/* of an applied one, the notice says more */}
      {failure !== null && state !== 'APPLIED' && <p className="mt-1">{messageText(failure)}</p>}
      {/* a save has a button */}
      {state === 'APPLIED' && kind !== 'CONFIGURE' && (isPartial || undone !== 'none') && (
        // a takeover has detached the installation
        <p className="mt-1">{t(`changes.undo.${isPartial && kind !== 'BATCH' ? 'TAKEOVER' : kind}`)}</p>
      )}
    </Notice>
  )
}

/** Why it was rejected or withdrawn, and by whom; the history may be long. */
function LastWords({ request: { history, state } }: { request: ChangeRequestDetail }) {
  const t = useText()
  const entry = history.findLast(({ event }) => event === state)
  return entry?.text == null ? null : (
    <p className="mt-1 wrap-anywhere whitespace-pre-wrap">{labelled(t, entry.by.name, entry.text)}</p>
  )
}

/** What is said of a batch that has not succeeded in all targets: one that was stopped may not even have begun. */
const endOfBatch = (counts: Batch['counts'], state: Batch['state'] | undefined) =>
  state === 'STOPPED' && counts.SUCCEEDED === 0
    ? 'changes.about.APPLIED.batch.stopped'
    : 'changes.about.APPLIED.batch'

/** What is paused and holds the operations that it started, by whom and why. */
export function HeldBy({ request }: { request: ChangeRequestDetail }) {
  const pauses = useQueries({
    queries: useOperations(request).flatMap((operation) =>
      operation?.data?.nextStep.action === 'RESUME'
        ? [apiQuery('GET /pauses', pausesOfOperationCall(operation.data.operationId))]
        : [],
    ),
    // one of a scope or a plugin holds several of them
    combine: (queries) => [
      ...new Map(
        queries.flatMap(({ data }) => data?.items ?? []).map((pause) => [JSON.stringify(pause.of), pause]),
      ).values(),
    ],
  })
  return <Pauses pauses={pauses} isLinked />
}

/** The operations that it started; undefined while one is being loaded, without data if it cannot be. */
const useOperations = ({ operations }: ChangeRequestDetail) =>
  useQueries({
    queries: operations.map((operationId) =>
      apiQuery('GET /operations/{operationId}', { params: { operationId } }),
    ),
    combine: (queries) => queries.map(({ data, isPending }) => (isPending ? undefined : { data })),
  })
