import type { PlanNotice } from '#contract/console-api/shapes.ts'
import { messageText } from '../../i18n/message-text.ts'
import { Notice } from '../../ui/Notice.tsx'

/** What refuses nothing, but is worth knowing before something is approved or started: pauses, disabled plugins, deprecated versions. */
export function PlanNotices({ plan }: { plan: { notices?: readonly PlanNotice[] | undefined } | undefined }) {
  const { notices = [] } = plan ?? {}
  if (notices.length === 0) return null
  return (
    <Notice tone="warn" live>
      {notices.map((notice) => (
        <p key={notice.message}>{messageText(notice)}</p>
      ))}
    </Notice>
  )
}
