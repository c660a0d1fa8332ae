import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { shownCode } from '#contract/protocol/messages.ts'
import { BatchesOf } from '../../../subjects/batch/BatchLink.tsx'
import { ChangeRequestLink } from '../../../subjects/change-requests/ChangeRequestLink.tsx'
import { OperationLink } from '../../../subjects/operations/OperationLink.tsx'
import { RunTime } from '../../../subjects/operations/OperationTimes.tsx'
import { ScopeLink } from '../../../subjects/scopes/ScopeText.tsx'
import { joinSentences } from '../../../i18n/punctuation.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { useAsOf } from '../../../ui/as-of.ts'
import { DefinitionList } from '../../../ui/DefinitionList.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Id } from '../../../ui/Id.tsx'
import { PlainLink, TextLink } from '../../../ui/Link.tsx'
import { Time } from '../../../ui/Time.tsx'
import { failureTitle, stoppedText } from '../../../subjects/operations/describe-failure.ts'
import { versionsText, bundleNameOf } from '../../../subjects/operations/operation-texts.ts'

/** Who requested what, where, when and why. */
export function OperationSummary({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const { installation, requestedBy, startedAt, finishedAt, failure, takesOver, takenOverBy } = operation
  const { bundle, bundleInstallId } = installation
  const isStored = useAsOf() !== null
  return (
    <DefinitionList
      layout="columns"
      className="lg:grid-cols-4"
      items={[
        {
          label: t('operations.field.installation'),
          value: (
            <>
              <TextLink to={paths.installation(bundleInstallId)}>{bundleNameOf(operation)}</TextLink>
              <span className="block text-xs text-faint">
                <Id id={bundleInstallId} copy />
              </span>
            </>
          ),
        },
        {
          label: t('operations.field.versions'),
          value: (
            <PlainLink
              to={paths.bundleVersion({
                env: bundle.environmentKey,
                bundle: bundle.bundleId,
                version: operation.targetVersion,
              })}
              className="target mono rounded-sm hover:underline"
            >
              {versionsText(operation)}
            </PlainLink>
          ),
        },
        { label: t('operations.field.scope'), value: <ScopeLink scope={installation} /> },
        {
          label: t('operations.field.requestedBy'),
          value: (
            <>
              <PlainLink
                to={paths.operations({ requestedBy: requestedBy.id })}
                className="target rounded-sm hover:underline"
              >
                {requestedBy.name}
              </PlainLink>
              {operation.reason === null && (
                <span className="block text-xs text-faint">{t('operations.field.noReason')}</span>
              )}
            </>
          ),
        },
        {
          label: t('operations.field.created'),
          value: <Time at={operation.createdAt} exact className="whitespace-normal!" />,
        },
        finishedAt !== null && {
          label: t(
            operation.state === 'SUCCEEDED' ? 'operations.field.succeededAt' : 'operations.field.failedAt',
          ),
          value: <Time at={finishedAt} exact className="whitespace-normal!" />,
        },
        startedAt !== null && {
          label: t(finishedAt === null ? 'operations.field.runningFor' : 'operations.field.runTime'),
          value: <RunTime operation={operation} />,
        },
        {
          label: (
            <span
              title={joinSentences(t, [t('operations.facts.sequence.hint'), t('operations.facts.run.hint')])}
            >
              {t('operations.field.sequenceAndRun')}
            </span>
          ),
          value: t('operations.facts.sequenceAndRun', {
            sequence: operation.executionSequence,
            run: operation.run,
          }),
        },
        failure !== null &&
          shownCode(failure) !== failure.errorCode && {
            label: t('operations.field.endCode'),
            value: <span className="mono">{failure.errorCode}</span>,
          },
        takesOver !== null && {
          label: t('operations.field.takesOver'),
          value: <OperationLink id={takesOver} />,
        },
        takenOverBy !== null && {
          label: t('operations.field.takenOverBy'),
          value: <OperationLink id={takenOverBy} />,
        },
        operation.changeRequestId !== undefined && {
          label: t('changes.one'),
          value: <ChangeRequestLink id={operation.changeRequestId} />,
        },
        // of a failure, the panel above says whether the batch goes on
        (operation.batches ?? []).length > 0 &&
          (operation.state !== 'FAILED' || isStored) && {
            label: t('operations.field.batch'),
            value: <BatchesOf operation={operation} />,
          },
        operation.reason !== null && {
          // a long one needs the width
          wide: true,
          label: t('operations.field.reason'),
          value: (
            <>
              {operation.reason}
              {operation.overridden && (
                <Badge tone="doubt" icon="warning" className="ml-2">
                  {t('freezes.overridden')}
                </Badge>
              )}
            </>
          ),
        },
        operation.retries.length > 0 && {
          wide: true,
          label: t('operations.field.retries'),
          value: <Retries operation={operation} />,
        },
      ]}
    />
  )
}

/** Who retried it, when and why, and how the run before had ended. */
function Retries({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const rich = useRichText()
  return (
    <ol className="space-y-1">
      {operation.retries.map(({ run, startedAt, startedBy, reason, failure }) => (
        <li key={run}>
          {rich('operations.facts.retry', {
            run: String(run),
            person: startedBy.name,
            time: <Time at={startedAt} exact className="whitespace-normal!" />,
          })}
          {t('common.punctuation.colon')}
          {reason ?? <span className="text-faint">{t('operations.field.noReason')}</span>}
          {failure && (
            <span className="block text-xs text-muted">
              {t('operations.facts.retry.before', { run: run - 1, failure: failureTitle(failure, t) })}
              {failure.stopped && <span className="block">{stoppedText(failure.stopped, t)}</span>}
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}
