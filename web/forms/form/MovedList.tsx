import { ApiError } from '../../api/client.ts'
import { messageText } from '../../i18n/message-text.ts'

/** What has changed since the plan was made, if that is why a request was refused. */
export function MovedList({ error }: { error: unknown }) {
  if (!(error instanceof ApiError) || error.problem.code !== 'PLAN_STALE') return null
  return (
    <ul className="list-disc space-y-0.5 pl-5">
      {(error.problem.details ?? []).map((detail) => (
        <li key={detail.message}>{messageText(detail)}</li>
      ))}
    </ul>
  )
}
