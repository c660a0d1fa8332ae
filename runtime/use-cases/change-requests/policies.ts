import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { ChangePolicy } from '#contract/runtime-api/change-policies.ts'
import { CHANGE_KINDS } from '#contract/runtime-api/vocabulary.ts'
import type { ChangeKind } from '#contract/runtime-api/vocabulary.ts'
import { DomainError } from '../../engine/refusals.ts'
import type { Db } from '../../model/db.ts'
import {
  judgeAgain,
  lockPolicy,
  putChangePolicy,
  selectChangePolicies,
} from '../../store/change-requests/change-requests.ts'
import type { PolicyRow } from '../../store/change-requests/change-requests.ts'
import { fieldChanges, recordAudit } from '../audit/record.ts'
import { reads } from '../authorize.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'

/** The environments with a policy, of those in which the actor may read something. */
export async function listChangePolicies({
  deps,
  actor,
}: ReadContext): Promise<Answer<'GET /change-policies'>> {
  const policies = (await selectChangePolicies(deps.db)).map(policyView)
  return { items: policies.filter((policy) => reads(actor, policy)), nextCursor: null }
}

/** The policy of an environment. Without a policy, or if the actor may read nothing there, one that requires nothing. */
export async function readChangePolicy(
  { deps, actor }: ReadContext,
  { params: { environmentKey } }: Input<'GET /change-policies/{environmentKey}'>,
): Promise<ChangePolicy> {
  const [row] = await selectChangePolicies(deps.db, [environmentKey])
  return row === undefined || !reads(actor, { environmentKey })
    ? { environmentKey, requiredFor: [], approvals: 1, updatedAt: null }
    : policyView(row)
}

/** Sets the policy of an environment. A request that is open needs at least what it needed before. */
export async function saveChangePolicy(
  { tx, actor }: WriteContext,
  { params: { environmentKey }, body }: Input<'PUT /change-policies/{environmentKey}'>,
): Promise<ChangePolicy> {
  const before = await lockPolicy(tx, environmentKey)
  if ((before?.updated_at ?? null) !== body.updatedAt)
    throw new DomainError('CHANGE_POLICY_STALE', platformMessage('changePolicyStale'))
  const row = await putChangePolicy(tx, {
    environment_key: environmentKey,
    required_for: CHANGE_KINDS.filter((kind) => body.requiredFor.includes(kind)),
    approvals: body.approvals,
  })
  await judgeAgain(tx, environmentKey)
  await recordAudit(tx, actor, {
    action: 'change.policy',
    subject: environmentKey,
    reason: body.reason ?? null,
    changes: fieldChanges(before === undefined ? null : fieldsOf(before), fieldsOf(row)),
  })
  return policyView(row)
}

const fieldsOf = ({ required_for, approvals }: PolicyRow) => ({ requiredFor: required_for, approvals })

const policyView = ({ environment_key, required_for, approvals, updated_at }: PolicyRow): ChangePolicy => ({
  environmentKey: environment_key,
  requiredFor: required_for,
  approvals,
  updatedAt: updated_at,
})

/** Which policy of the scopes asks for the most approvals now, and how many; null if none asks for any. */
export async function strictestPolicy(
  db: Db,
  scopes: readonly Pick<Scope, 'environmentKey'>[],
  kinds: readonly ChangeKind[],
): Promise<{ environmentKey: string; approvals: number } | null> {
  const environments = [...new Set(scopes.map(({ environmentKey }) => environmentKey))]
  const asking = (await selectChangePolicies(db, environments)).filter(({ required_for }) =>
    required_for.some((kind) => kinds.includes(kind)),
  )
  const [strictest] = asking.toSorted((one, other) => other.approvals - one.approvals)
  return strictest === undefined
    ? null
    : { environmentKey: strictest.environment_key, approvals: strictest.approvals }
}
