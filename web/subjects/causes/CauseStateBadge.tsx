import type { Cause } from '#contract/console-api/shapes.ts'
import { useText } from '../../i18n/use-text.ts'
import { Badge, type BadgeLook } from '../../ui/Badge.tsx'
import { causeLook, workText } from './cause-texts.ts'

/** The state of a cause, and who works on it. */
export function CauseStateBadge({ cause, look = 'plain' }: { cause: Cause; look?: BadgeLook }) {
  const t = useText()
  const { tone, icon, word } = causeLook[cause.state]
  const work = cause.state === 'NEW' ? null : workText(cause, t)
  return (
    <span className="wrap-anywhere">
      <Badge tone={tone} icon={icon} look={look}>
        {t(word)}
      </Badge>
      {work !== null && <span className="ml-1.5 text-muted">{work}</span>}
    </span>
  )
}
