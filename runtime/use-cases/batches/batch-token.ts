import * as z from 'zod'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { BatchRequest } from '#contract/runtime-api/batches.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { DomainError } from '../../engine/refusals.ts'
import { canonicalText, isValuesDigestOf, valuesDigestOf } from '../plans/plan-token.ts'
import type { TokenKeys, TokenReader } from '../plans/plan-token.ts'
import { digestOf, inputOf } from './targets.ts'
import type { PlannedTarget } from './targets.ts'

/** For each target the digest of its plan, and of its own values if it has some; and one of the values for every target. */
const Content = z.tuple([
  z.literal('batch'),
  z.record(z.string(), z.union([z.string(), z.tuple([z.string(), z.string()])])),
  z.string(),
])

/** The values for every target and what they are for, as text that does not depend on the order of members. */
function commonValuesOf({ action, input }: Pick<BatchRequest, 'action' | 'input'>): string {
  const { values: _, ...common } = inputOf({ input })
  return canonicalText([action, input === undefined ? null : common])
}

function ownValuesOf({ input }: Pick<BatchRequest, 'input'>, target: string): string | undefined {
  const own = getOwn(inputOf({ input }).values ?? {}, target)
  return own && canonicalText([target, own])
}

/**
 * The token of a batch's plan: a digest for each target, so that a comparison can name those that have moved, and keyed
 * digests of the values. Each target has one of its own values, so that some targets can be left out.
 */
export function batchTokenOf(
  keys: TokenKeys,
  request: Pick<BatchRequest, 'action' | 'input'>,
  planned: readonly PlannedTarget[],
): string {
  const digests = Object.fromEntries(
    planned.map((one) => {
      const own = ownValuesOf(request, one.target)
      return [one.target, own === undefined ? digestOf(one) : [digestOf(one), valuesDigestOf(keys, own)]]
    }),
  )
  const values = valuesDigestOf(keys, commonValuesOf(request))
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
  const ownValues = planned.map(async ({ target }) => {
    const own = ownValuesOf(request, target)
    const seenOwn = [seen[target]].flat()[1]
    return own === undefined || seenOwn === undefined
      ? own === seenOwn
      : isValuesDigestOf(reader, seenOwn, own)
  })
  const isSeen = [isValuesDigestOf(reader, values, commonValuesOf(request)), ...ownValues]
  if ((await Promise.all(isSeen)).includes(false))
    throw new DomainError('PLAN_STALE', platformMessage('planStale'), {
      details: [{ path: 'body.input', errorCode: 'PLAN_STALE', ...platformMessage('planBatchValuesMoved') }],
    })
  const details = planned.flatMap((one, index) =>
    [seen[one.target]].flat()[0] === digestOf(one)
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
