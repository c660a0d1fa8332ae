import * as z from 'zod'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { BatchRequest } from '#contract/runtime-api/batches.ts'
import { DomainError } from '../../engine/refusals.ts'
import { canonicalText, isValuesDigestOf, valuesDigestOf } from '../plans/plan-token.ts'
import type { TokenKeys, TokenReader } from '../plans/plan-token.ts'
import { digestOf } from './targets.ts'
import type { PlannedTarget } from './targets.ts'

const Content = z.tuple([z.literal('batch'), z.record(z.string(), z.string()), z.string()])

/** The values of a batch and what they are for, as text that does not depend on the order of members. */
const valuesOf = ({ action, input }: Pick<BatchRequest, 'action' | 'input'>): string =>
  canonicalText([action, input ?? null])

/**
 * The token of a batch's plan: a digest for each target, so that a comparison can name those that have moved, and a
 * keyed digest of the values.
 */
export function batchTokenOf(
  keys: TokenKeys,
  request: Pick<BatchRequest, 'action' | 'input'>,
  planned: readonly PlannedTarget[],
): string {
  const digests = Object.fromEntries(planned.map((one) => [one.target, digestOf(one)]))
  const values = valuesDigestOf(keys, valuesOf(request))
  return Buffer.from(JSON.stringify(['batch', digests, values])).toString('base64url')
}

/**
 * Refuses with PLAN_STALE if the values are not those of the plan that the token identifies, or naming each target whose
 * plan differs from it.
 */
export async function refuseMovedTargets(
  reader: TokenReader,
  token: string,
  request: Pick<BatchRequest, 'action' | 'input'>,
  planned: readonly PlannedTarget[],
): Promise<void> {
  const [, seen, values] = contentOf(token)
  if (!(await isValuesDigestOf(reader, values, valuesOf(request))))
    throw new DomainError('PLAN_STALE', platformMessage('planStale'), {
      details: [{ path: 'body.input', errorCode: 'PLAN_STALE', ...platformMessage('planBatchValuesMoved') }],
    })
  const details = planned.flatMap((one, index) =>
    seen[one.target] === digestOf(one)
      ? []
      : [
          {
            path: `body.targets.${index}`,
            errorCode: 'PLAN_STALE',
            ...platformMessage('planTargetMoved'),
          },
        ],
  )
  if (details.length > 0) throw new DomainError('PLAN_STALE', platformMessage('planStale'), { details })
}

function contentOf(token: string): z.infer<typeof Content> {
  try {
    return Content.parse(JSON.parse(Buffer.from(token, 'base64url').toString()))
  } catch {
    throw new DomainError('REQUEST_INVALID', platformMessage('planTokenInvalid'))
  }
}
