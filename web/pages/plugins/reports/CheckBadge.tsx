import type { Plugin } from '#contract/console-api/shapes.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Badge } from '../../../ui/Badge.tsx'

const LOOK = {
  PASSED: { tone: 'ok', icon: 'done' },
  NOT_PASSED: { tone: 'fail', icon: 'failed' },
  NONE: { tone: 'quiet', icon: 'nothing' },
} as const

/** Whether the last plugin-check report of the registered version passed. */
export function CheckBadge({ check }: Pick<Plugin, 'check'>) {
  const t = useText()
  return (
    <Badge look="plain" {...LOOK[check]}>
      {t(`plugins.check.${check}`)}
    </Badge>
  )
}
