import { Badge, type BadgeLook } from './Badge.tsx'
import { Tooltip } from './Tooltip.tsx'

/** Whether a registration is enabled; a tooltip explains what that means. */
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
