import { useNavigate } from '@tanstack/react-router'
import type { PlannedStage } from '#contract/console-api/shapes.ts'
import { keepTakeover } from '../../../../subjects/sign-in/interrupted-action.ts'
import { useGate } from '../../../../subjects/gate/use-gate.tsx'
import { needsReview, useRequestReview } from '../../../../subjects/change-requests/use-request-review.ts'
import { scopeText } from '../../../../subjects/scopes/scope-text.ts'
import { ScopeText } from '../../../../subjects/scopes/ScopeText.tsx'
import { bundleNameOf } from '../../../../subjects/operations/operation-texts.ts'
import { needsSignIn, SignInAgain } from '../../../../subjects/sign-in/SignInAgain.tsx'
import { availabilityText } from '../../../../subjects/plan/PlannedCalls.tsx'
import { EndpointProbes } from '../../../../subjects/plan/EndpointProbes.tsx'
import { OperationPlanView } from '../../../../subjects/plan/OperationPlanView.tsx'
import { useOperationPlan } from '../../../../subjects/plan/use-operation-plan.ts'
import { ConfirmForm } from '../../../../forms/dialogs/ConfirmForm.tsx'
import { useRichText, useText } from '../../../../i18n/use-text.ts'
import { paths } from '../../../../addresses/paths.ts'
import { Notice } from '../../../../ui/Notice.tsx'
import { showToast } from '../../../../ui/toast.ts'
import { useRecovery, type RecoveryProps } from './recovery.ts'
import { messageText } from '../../../../i18n/message-text.ts'
import { joinList, labelled } from '../../../../i18n/punctuation.ts'
import { Badge } from '../../../../ui/Badge.tsx'
import { Icon } from '../../../../ui/Icon.tsx'
import { plannedPlugins, type PlannedPlugin } from './detach-preview.ts'
import { impactOf } from '../calls/progress.ts'
import type { CallTimeline } from '../calls/timeline.ts'
import { resultLook } from '../calls/verdict.ts'

const LIVE: ReadonlySet<ReturnType<typeof impactOf>> = new Set([
  'UNCHANGED',
  'ACTED',
  'CHANGED',
  'KEPT',
  'REMOVING',
])

/** A DETACH that takes over a failed operation: what ends, which plugins are called, and that it cannot be undone. */
export function TakeoverDialog({ operation, timeline, onClose, initialReason, change }: RecoveryProps) {
  const t = useText()
  const rich = useRichText()
  const navigate = useNavigate()
  const takeOver = useRecovery('takeover')
  const { installation, operationId, run, currentVersion } = operation
  const gate = useGate(installation, ['TAKEOVER', 'DETACH'], true)
  const request = { params: { operationId }, body: { run } }
  const planned = useOperationPlan('POST /operations/{operationId}/takeover/plan', request)
  const review = useRequestReview()
  const isGuarded = needsReview(planned.plan?.problems) && !gate.isOverriding
  const impact = impactOf(operation)
  const plugins = plannedPlugins(planned.plan?.stages ?? [], timeline)
  const retired = plugins.filter(({ availability }) => availability === 'RETIRED')
  const blocked = plugins.filter(
    ({ availability }) => availability === 'DISABLED' || availability === 'NOT_REGISTERED',
  )
  const silent = plugins.filter(
    ({ last, availability }) =>
      availability !== 'RETIRED' && (last === 'NOT_DELIVERED' || last === 'NO_ANSWER'),
  )
  // what runs now and would be removed; an INSTALL that failed early has nothing that runs
  const isLive = LIVE.has(impact)
  return (
    <ConfirmForm
      change={change}
      danger
      onClose={onClose}
      title={t(isLive ? 'recovery.takeover.title.live' : 'recovery.takeover.title')}
      confirm={t(isGuarded ? 'changes.submit' : 'recovery.takeover.confirm')}
      reason={{ label: t('recovery.takeover.reason'), required: true }}
      word={installation.bundle.bundleId}
      blockedReason={isGuarded ? null : gate.blocked}
      initialReason={initialReason}
      plan={
        <OperationPlanView
          state={planned}
          isRequested={isGuarded && !gate.saysReview}
          calls={({ stages }) => (
            <>
              <TakeoverCalls stages={stages} timeline={timeline} />
              <EndpointProbes stages={stages} isTakeover />
            </>
          )}
        />
      }
      errorActions={(code, reason) =>
        needsSignIn(code) && (
          <SignInAgain keep={(personId) => keepTakeover(personId, operationId, { run, reason })} />
        )
      }
      // an event may arrive before the response, so this waits for the response of the request
      send={async ({ reason }) => {
        if (isGuarded) {
          const title = t('changes.title.operation', {
            kind: t('changes.kind.TAKEOVER'),
            bundle: bundleNameOf(operation),
            scope: scopeText(installation),
          })
          await review.request(
            { kind: 'TAKEOVER', title, reason, input: { operationId, run } },
            { submit: true },
          )
          return
        }
        const answer = await planned.send(request, (token) =>
          takeOver.mutateAsync({
            params: { operationId },
            body: { run, reason, ...token, ...gate.override },
          }),
        )
        showToast({ tone: 'info', text: t('recovery.takeover.accepted') })
        onClose()
        await navigate(paths.operation(answer.operation.operationId))
      }}
    >
      {gate.choice}
      {initialReason !== '' && <Notice icon="info">{t('common.signInAgain.resumed')}</Notice>}
      <Notice tone="error" icon="warning" title={t('recovery.takeover.warning')}>
        <ul className="list-disc space-y-0.5 pl-4">
          {isLive && (
            <li className="font-semibold">
              {t('recovery.takeover.live', { version: currentVersion ?? operation.targetVersion })}
            </li>
          )}
          <li>{t('recovery.takeover.ends')}</li>
          <li>
            {rich('recovery.takeover.detaches', {
              bundle: <span className="font-semibold">{bundleNameOf(operation)}</span>,
              scope: <ScopeText scope={installation} />,
            })}
          </li>
          <li>{t('recovery.takeover.references')}</li>
          {retired.length > 0 && (
            <li>
              {t('recovery.retired', {
                plugins: joinList(
                  t,
                  retired.map(({ pluginId }) => pluginId),
                ),
              })}
            </li>
          )}
          {(blocked.length > 0 || silent.length > 0) && (
            <li className="font-semibold">
              {t(blocked.length > 0 ? 'recovery.takeover.fails' : 'recovery.takeover.mayFail', {
                plugins: joinList(
                  t,
                  (blocked.length > 0 ? blocked : silent).map(({ pluginId }) => pluginId),
                ),
              })}
            </li>
          )}
        </ul>
      </Notice>
      <p className="text-muted">{t('recovery.takeover.again')}</p>
    </ConfirmForm>
  )
}

/** The plugins that a takeover calls, each once, in call order: when it is called, and its last result. */
function TakeoverCalls({ stages, timeline }: { stages: readonly PlannedStage[]; timeline: CallTimeline }) {
  const t = useText()
  const plugins = plannedPlugins(stages, timeline)
  if (plugins.length === 0) return <p>{t('recovery.takeover.noPlugins')}</p>
  return (
    <div>
      <p className="font-medium">{t('recovery.takeover.calls')}</p>
      <ol className="mt-1 divide-y divide-line rounded-md border border-line">
        {plugins.map((plugin) => (
          <Planned key={plugin.pluginId} plugin={plugin} />
        ))}
      </ol>
    </div>
  )
}

function Planned({
  plugin: { pluginId, order, stages, availability, last, failure },
}: {
  plugin: PlannedPlugin
}) {
  const t = useText()
  const look = resultLook(last)
  const called = stages.map((stage) => t(`vocabulary.phase.${stage}`))
  return (
    <li className="flex flex-wrap items-center gap-x-3 px-3 py-1.5">
      <span className="min-w-0 flex-1">
        <span className="mono block font-medium wrap-anywhere">{pluginId}</span>
        <span className="block text-xs text-muted">
          {t('operations.detail.order', { order })} · {joinList(t, called)}
        </span>
        {failure && (
          <span className="block text-xs wrap-anywhere text-muted">
            {labelled(t, t('recovery.takeover.lastResponse'), messageText(failure))}
          </span>
        )}
        {availability !== 'READY' && (
          <span className="flex gap-1 text-xs text-doubt">
            <Icon name="warning" size={12} className="mt-0.5" />
            {t(availabilityText(availability, true))}
          </span>
        )}
      </span>
      <span className="flex items-center gap-1.5 text-xs text-faint max-sm:basis-full">
        {t('recovery.takeover.lastResult')}
        <Badge look="plain" tone={look.tone} icon={look.icon}>
          {t(look.word)}
        </Badge>
      </span>
    </li>
  )
}
