import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { OperationLink } from '../../../components/OperationLink.tsx'
import { ScopeLink } from '../../../components/ScopeText.tsx'
import { joinSentences } from '../../../i18n/punctuation.ts'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../paths.ts'
import { DefinitionList } from '../../../ui/DefinitionList.tsx'
import { Id } from '../../../ui/Id.tsx'
import { PlainLink, TextLink } from '../../../ui/Link.tsx'
import { Duration, Time } from '../../../ui/Time.tsx'
import { versionsText } from './versions.ts'

/** Who requested what, where, when and why. */
export function Facts({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const { installation, requestedBy, startedAt, finishedAt, takesOver, takenOverBy } = operation
  const { bundle, bundleInstallId } = installation
  return (
    <DefinitionList
      layout="columns"
      items={[
        {
          label: t('operations.field.installation'),
          value: (
            <>
              <TextLink to={paths.installation(bundleInstallId)}>{bundle.bundleId}</TextLink>
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
              className="mono rounded-sm hover:underline"
            >
              {versionsText(operation)}
            </PlainLink>
          ),
        },
        { label: t('operations.field.scope'), value: <ScopeLink scope={installation} /> },
        {
          label: t('operations.field.requestedBy'),
          value: (
            <PlainLink
              to={paths.operations({ requestedBy: requestedBy.id })}
              className="rounded-sm hover:underline"
            >
              {requestedBy.name}
            </PlainLink>
          ),
        },
        {
          label: t('operations.field.created'),
          value: <Time at={operation.createdAt} exact className="whitespace-normal!" />,
        },
        startedAt !== null && {
          label: t(finishedAt === null ? 'operations.field.runningFor' : 'operations.field.duration'),
          value:
            finishedAt === null ? (
              <Duration since={startedAt} />
            ) : (
              <Duration ms={Date.parse(finishedAt) - Date.parse(startedAt)} />
            ),
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
        takesOver !== null && {
          label: t('operations.field.takesOver'),
          value: <OperationLink id={takesOver} />,
        },
        takenOverBy !== null && {
          label: t('operations.field.takenOverBy'),
          value: <OperationLink id={takenOverBy} />,
        },
        {
          wide: true,
          label: t('operations.field.reason'),
          value: operation.reason ?? <span className="text-faint">{t('operations.field.noReason')}</span>,
        },
      ]}
    />
  )
}
