import { reasonIn } from '../../../../forms/form/use-zod-form.ts'
import { ConfirmForm } from '../../../../forms/dialogs/ConfirmForm.tsx'
import { joinList, joinSentences } from '../../../../i18n/punctuation.ts'
import { useRichText, useText } from '../../../../i18n/use-text.ts'
import { Notice } from '../../../../ui/Notice.tsx'
import { showToast } from '../../../../ui/toast.ts'
import { useGate } from '../../../../subjects/gate/use-gate.tsx'
import { needsSignIn, SignInAgain } from '../../../../subjects/sign-in/SignInAgain.tsx'
import { failureTitle, remedyOf, retryHelpsOf } from '../../../../subjects/operations/describe-failure.ts'
import { repeatsOf } from '../calls/progress.ts'
import { nextCalls } from '../calls/timeline.ts'
import { retryTopic, useRecovery, type RecoveryProps } from './recovery.ts'
import { messageText } from '../../../../i18n/message-text.ts'

/** Describes the retry. An accepted retry is not a success yet, and is not reported as one. */
export function RetryDialog({ operation, timeline, onClose, change }: RecoveryProps) {
  const t = useText()
  const rich = useRichText()
  const retry = useRecovery('retry')
  const { failure, phase, run, operationId, operationType } = operation
  const isRecalled = operation.nextStep.action === 'CHECK_VERSION'
  const gate = useGate(
    operation.installation,
    operationType,
    true,
    isRecalled ? t('recovery.retry.recalled', { version: operation.targetVersion }) : null,
  )
  const plugins = nextCalls(timeline, operation).map(({ pluginId }) => pluginId)
  const { called, mayHaveActed, late, notReceived } = repeatsOf(operation, timeline)
  const retired = plugins.filter((pluginId) => !called.includes(pluginId))
  const phaseText = t(`vocabulary.phase.${phase}`)
  return (
    <ConfirmForm
      change={change}
      onClose={onClose}
      title={t('recovery.retry.title')}
      confirm={t('recovery.retry.confirm')}
      reason={{ label: t('recovery.retry.reason'), required: gate.isOverriding }}
      blockedReason={gate.blocked}
      errorActions={(code) => needsSignIn(code) && <SignInAgain keep={() => true} />}
      // an event may arrive before the response, so this waits for the response of the request
      send={async ({ reason }) => {
        await retry.mutateAsync({
          params: { operationId },
          body: { run, ...reasonIn({ reason }), ...gate.override },
        })
        showToast({
          tone: 'info',
          text: t('recovery.retry.accepted'),
          topic: retryTopic(operationId, run + 1),
        })
        onClose()
      }}
    >
      {gate.choice}
      {retired.length > 0 && (
        <Notice tone="warn">
          {t(operationType === 'DETACH' ? 'recovery.retired' : 'recovery.retry.retired', {
            plugins: joinList(t, retired),
          })}
        </Notice>
      )}
      {failure !== null && !isRecalled && retired.length === 0 && retryHelpsOf(operation) !== 'YES' && (
        <Notice tone="warn" title={t('recovery.retry.warn')}>
          <p>
            {failure.retryable
              ? failureTitle(failure, t)
              : t('recovery.retry.warnText', { message: messageText(failure) })}
          </p>
          <p className="mt-1 font-medium">{remedyOf(operation, t)}</p>
        </Notice>
      )}
      <p>
        {plugins.length > 0
          ? rich('recovery.retry.begins', {
              plugins: <span className="mono font-semibold">{joinList(t, plugins)}</span>,
              stage: <span className="font-semibold">{phaseText}</span>,
            })
          : t('recovery.retry.beginsRuntime', { stage: phaseText })}
      </p>
      {(plugins.length === 0 || called.length > 0) && (
        <p>
          {joinSentences(t, [
            t('recovery.retry.same'),
            mayHaveActed.length > 0 &&
              t('recovery.retry.mayHaveActed', { plugins: joinList(t, mayHaveActed) }),
            ...late.map((plugin) => t('operations.failed.effect.late', { plugin })),
            notReceived.length > 0 &&
              notReceived.length === called.length &&
              t('recovery.retry.notReceived', { plugins: joinList(t, notReceived) }),
          ])}
        </p>
      )}
      <p className="text-muted">{t('recovery.retry.run', { n: run + 1 })}</p>
    </ConfirmForm>
  )
}
