import * as z from 'zod'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { DomainError } from '../../engine/domain-error.ts'
import { digestOf } from './targets.ts'
import type { PlannedTarget } from './targets.ts'

const Content = z.tuple([z.literal('batch'), z.record(z.string(), z.string())])

/** The token of a batch's plan: a digest for each target, so that a comparison can name those that have moved. */
export function batchTokenOf(planned: readonly PlannedTarget[]): string {
  const digests = Object.fromEntries(planned.map((one) => [one.target, digestOf(one)]))
  return Buffer.from(JSON.stringify(['batch', digests])).toString('base64url')
}

/** Refuses with PLAN_STALE, naming each target whose plan differs from the one that the token identifies. */
export function refuseMovedTargets(token: string | undefined, planned: readonly PlannedTarget[]): void {
  if (token === undefined) return
  const seen = digestsIn(token)
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

function digestsIn(token: string): Record<string, string> {
  try {
    return Content.parse(JSON.parse(Buffer.from(token, 'base64url').toString()))[1]
  } catch {
    throw new DomainError('REQUEST_INVALID', platformMessage('planTokenInvalid'))
  }
}
