import type { Failure, OperationDetail, WireEvidence } from '#contract/console-api/shapes.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { failureTitle } from '../../../../subjects/operations/describe-failure.ts'
import { OwnerText, PluginLink } from '../../../../subjects/plugins/PluginLink.tsx'
import { PropertyValueView } from '../../../../ui/value/ValueView.tsx'

/** What else failed in the same step, with whom to ask. */
export function AlsoFailed({
  operation,
  failures,
}: {
  operation: OperationDetail
  failures: readonly { pluginId: string; failure: Failure }[]
}) {
  const t = useText()
  return (
    <ul>
      {failures.map(({ pluginId, failure }) => {
        const owner = operation.plugins.find((plugin) => plugin.pluginId === pluginId)?.owner
        return (
          <li key={pluginId} className="wrap-anywhere">
            <PluginLink pluginId={pluginId} className="font-semibold" />
            {t('common.punctuation.colon')}
            {failureTitle(failure, t)}
            {owner && (
              <>
                {' · '}
                <OwnerText owner={owner} />
              </>
            )}
          </li>
        )
      })}
    </ul>
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
            <span className="mono font-medium">{property}</span> <PropertyValueView value={before} />
            {' → '}
            <PropertyValueView value={after} />
          </li>
        ))}
      </ul>
      <p className="text-muted">{t('operations.failed.named.again')}</p>
    </>
  )
}

/** Who answered instead of the plugin, and why a token was refused, as the response says. */
const TOLD = ['server', 'via', 'www-authenticate']

export function Headers({ wire }: { wire: WireEvidence | null | undefined }) {
  const told = Object.entries(wire?.headers ?? {}).filter(([name]) => TOLD.includes(name))
  return told.map(([name, value]) => (
    <p key={name} className="flex min-w-0 gap-2">
      <span className="mono text-faint">{name}</span>{' '}
      <span className="mono min-w-0 wrap-anywhere">{value}</span>
    </p>
  ))
}
