import { Badge, type BadgeLook } from '../ui/Badge.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'

/** Whether a registered thing is in use, with what that means on hover. */
export function EnabledBadge({
  enabled,
  word,
  meaning,
  look = 'plain',
}: {
  enabled: boolean
  word: string
  meaning: string
  look?: BadgeLook
}) {
  return (
    <Tooltip text={meaning}>
      {(target) => (
        <Badge {...target} tone={enabled ? 'ok' : 'quiet'} icon={enabled ? 'done' : 'nothing'} look={look}>
          {word}
        </Badge>
      )}
    </Tooltip>
  )
}
