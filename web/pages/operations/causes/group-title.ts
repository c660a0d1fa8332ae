import type { FailureGroup } from '#contract/console-api/shapes.ts'
import { isFromPlugin } from '#contract/protocol/messages.ts'
import type { Translate } from '../../../i18n/use-text.ts'
import { failureTitle } from '../../../subjects/operations/describe-failure.ts'

/** What failed in all operations of a group. Of a plugin's messages that differ, it is what they have in common. */
export function groupTitle({ count, shape, latest: { failure } }: FailureGroup, t: Translate): string {
  if (failure === null || (count > 1 && isFromPlugin(failure))) return shape
  return failureTitle(failure, t)
}
