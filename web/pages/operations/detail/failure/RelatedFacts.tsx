import type { OperationDetail, WireEvidence } from '#contract/console-api/shapes.ts'
import { useRichText, useText } from '../../../../i18n/use-text.ts'
import { failureTitle } from '../../../../subjects/operations/describe-failure.ts'
import { OwnerText, PluginLink } from '../../../../subjects/plugins/PluginLink.tsx'
import { Time } from '../../../../ui/Time.tsx'
import { ChangedValue } from '../../../../ui/value/BeforeAfter.tsx'
import type { alsoFailed } from '../calls/progress.ts'
import type { FailurePoint } from '../calls/timeline.ts'
import { endpointChange } from './endpoint-change.ts'

/** What else failed in the same step, with whom to ask. */
export function AlsoFailed({
  operation,
  failures,
}: {
  operation: OperationDetail
  failures: ReturnType<typeof alsoFailed>
}) {
  const t = useText()
  return (
    <>
      <ul>
        {failures.map(({ pluginId, failure, attempt }) => {
          const owner = operation.plugins.find((plugin) => plugin.pluginId === pluginId)?.owner
          return (
            <li key={pluginId} className="wrap-anywhere">
              <PluginLink pluginId={pluginId} className="font-semibold" />
              {t('common.punctuation.colon')}
              {failureTitle(failure, t)}
              {t('common.punctuation.clause')}
              {t('operations.failed.attempt', attempt)}
              {owner && (
                <>
                  {'\u00a0· '}
                  <OwnerText owner={owner} />
                </>
              )}
            </li>
          )
        })}
      </ul>
      <p className="text-muted">{t('operations.failed.also.again')}</p>
    </>
  )
}

/** The values of the operation itself that the plugin names in its failure. */
export function NamedChanges({ changes }: { changes: OperationDetail['changes'] }) {
  const t = useText()
  return (
    <>
      <ul>
        {changes.map(({ locator, property, before, after }) => (
          <li key={`${locator} ${property}`} className="wrap-anywhere">
            <span className="mono font-medium">{property}</span>{' '}
            <ChangedValue before={before} after={after} />
          </li>
        ))}
      </ul>
      <p className="text-muted">{t('operations.failed.named.again')}</p>
    </>
  )
}

/** Who answered instead of the plugin, that a cache did, and why a token was refused, as the response says. */
const TOLD = new Set(['server', 'via', 'age', 'x-cache', 'www-authenticate'])

export function Headers({ wire }: { wire: WireEvidence | null | undefined }) {
  const told = Object.entries(wire?.headers ?? {}).filter(([name]) => TOLD.has(name))
  return told.map(([name, value]) => (
    <p key={name} className="flex min-w-0 gap-2">
      <span className="mono text-faint">{name}</span>{' '}
      <span className="mono min-w-0 wrap-anywhere">{value}</span>
    </p>
  ))
}

/** The endpoint of the attempt that failed, and the one of today if it has changed since. */
export function Endpoint({
  operation,
  failurePoint,
}: {
  operation: OperationDetail
  failurePoint: FailurePoint | null
}) {
  const t = useText()
  const rich = useRichText()
  const plugin = operation.plugins.find(({ pluginId }) => pluginId === failurePoint?.pluginId)
  if (plugin === undefined) return null
  const bar = failurePoint?.bar
  const change = bar ? endpointChange(plugin, bar.attempt.startedAt) : null
  const endpoint = change ? change.before : plugin.endpoint
  return (
    <>
      {endpoint !== null && (
        <p className="flex min-w-0 gap-2">
          <span className="text-faint">
            {t(change ? 'operations.failed.endpoint.then' : 'operations.failed.endpoint')}
          </span>{' '}
          <span className="mono min-w-0 wrap-anywhere">{endpoint}</span>
        </p>
      )}
      {change && (
        <p>
          {rich(
            change.before === null
              ? 'operations.failed.endpoint.unknown'
              : 'operations.failed.endpoint.changed',
            {
              time: <Time at={change.at} />,
              endpoint: <span className="mono wrap-anywhere">{plugin.endpoint}</span>,
            },
          )}
        </p>
      )}
    </>
  )
}
