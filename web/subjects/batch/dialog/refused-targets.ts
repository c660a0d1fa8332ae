import type { BatchPlan } from '#contract/console-api/shapes.ts'
import type { ApiError, Call } from '../../../api/client.ts'
import { withoutReview } from '../../change-requests/use-request-review.ts'

/** The request for the plan of a batch. */
export type BatchBody = Call<'POST /batches/plan'>['body']

/** The targets that have changed since their plan, as the refusal names them by their positions. */
export function movedIn({ problem }: ApiError, sent: readonly string[]): ReadonlySet<string> {
  const positions = (problem.details ?? []).map(({ path = '' }) => /^body\.targets\.(\d+)$/.exec(path)?.[1])
  return new Set(positions.flatMap((at) => (at === undefined ? [] : (sent[Number(at)] ?? []))))
}

/** Without the targets that the plan refuses to this person: with one of them, the whole batch would be refused. */
export function withoutDenied(body: BatchBody, { items }: BatchPlan): BatchBody {
  const denied = new Set(
    items
      .filter(({ problems }) => problems.some(({ errorCode }) => errorCode === 'PERMISSION_DENIED'))
      .map(({ target }) => target),
  )
  const targets = body.targets.filter((target) => !denied.has(target))
  if (body.input === undefined || !('values' in body.input) || body.input.values === undefined)
    return { ...body, targets }
  const own = Object.entries(body.input.values).filter(([target]) => !denied.has(target))
  return { ...body, targets, input: { ...body.input, values: Object.fromEntries(own) } } as BatchBody
}

/** The plan of a change request: that an approval is required refuses nothing in it. */
export const asRequested = (plan: BatchPlan): BatchPlan => ({
  ...plan,
  items: plan.items.map((item) => ({ ...item, problems: withoutReview(item.problems) })),
})
