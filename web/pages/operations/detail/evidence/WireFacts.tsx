import type { WireEvidence } from '#contract/console-api/shapes.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { DefinitionList } from '../../../../ui/DefinitionList.tsx'
import { clockText } from '../failure/failure-texts.ts'

/** What the head of a response tells besides its status: some headers, as they came, and the clock of the plugin's host. */
export function WireFacts({ wire }: { wire: WireEvidence | null | undefined }) {
  const t = useText()
  if (wire == null) return null
  const clock = clockText(wire.clockBehindSeconds, t)
  return (
    <div className="max-w-[80ch] space-y-2">
      {clock !== null && <p>{clock}</p>}
      {wire.headers !== undefined && (
        <div>
          <h3 className="mb-1 font-semibold">{t('operations.wire.headers')}</h3>
          <DefinitionList
            items={Object.entries(wire.headers).map(([name, value]) => ({
              label: <span className="mono text-ink">{name}</span>,
              value: <span className="mono wrap-anywhere">{value}</span>,
            }))}
          />
        </div>
      )}
    </div>
  )
}
