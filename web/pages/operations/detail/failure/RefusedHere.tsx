import type { Failure } from '#contract/console-api/shapes.ts'
import { useRichText, useText } from '../../../../i18n/use-text.ts'
import { Time } from '../../../../ui/Time.tsx'

/** What this platform itself refused the plugin, which passes that on as its own failure. */
export function RefusedHere({ failure: { refusedHere, errorPath } }: { failure: Failure }) {
  const t = useText()
  const rich = useRichText()
  if (refusedHere === undefined) return null
  const { at, endpoint, rule, service = '' } = refusedHere
  return (
    <p className="max-w-[80ch] font-medium wrap-anywhere">
      {rich(`operations.refusedHere.${endpoint}`, {
        // the error path of a failed call names its plugin after the runtime
        plugin: errorPath?.[1] ?? '',
        moment: <Time at={at} exact />,
        why: t(`operations.refusedHere.why.${rule}`, { service }),
      })}
    </p>
  )
}
