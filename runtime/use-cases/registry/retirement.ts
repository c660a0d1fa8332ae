import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Plugin } from '#contract/runtime-api/plugins.ts'
import { DomainError } from '../../engine/refusals.ts'
import { retirementOf } from '../../engine/views.ts'
import type { Db } from '../../model/db.ts'
import type { OperationRow } from '../../model/operation.ts'
import { listOpenPlugins, lockPlugin, readRetired, setRetirement } from '../../store/plugins/plugins.ts'
import { fieldChanges, recordAudit } from '../audit/record.ts'
import { notFound } from '../authorize.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { requirePlugin } from './plugins.ts'
import { requireExpected } from './registration.ts'

type Retire = 'POST /plugins/{pluginId}/retire'
type Reinstate = 'POST /plugins/{pluginId}/reinstate'

/**
 * Retires a plugin that is gone for good. Calls in flight end as they do; the next call of each DETACH is answered by the
 * platform, and the next call of any other operation fails. Refuses with NOT_FOUND, REGISTRATION_STALE, and with REQUEST_INVALID
 * if it is retired already.
 */
export const retirePlugin = (context: WriteContext, input: Input<Retire>): Promise<Answer<Retire>> =>
  change(context, input, 'plugin.retire')

/** Reinstates a retired plugin. Refuses as `retirePlugin` does. */
export const reinstatePlugin = (context: WriteContext, input: Input<Reinstate>): Promise<Answer<Reinstate>> =>
  change(context, input, 'plugin.reinstate')

async function change(
  { tx, actor }: WriteContext,
  { params: { pluginId }, body: { reason, updatedAt } }: Pick<Input<Retire>, 'params' | 'body'>,
  action: 'plugin.retire' | 'plugin.reinstate',
): Promise<Plugin> {
  const before = await lockPlugin(tx, pluginId)
  if (before === undefined) throw notFound('plugin')
  requireExpected(updatedAt, before, 'pluginId')
  const isRetiring = action === 'plugin.retire'
  const isRetired = retirementOf(before) !== null
  if (isRetired === isRetiring)
    throw new DomainError(
      'REQUEST_INVALID',
      platformMessage(isRetiring ? 'pluginAlreadyRetired' : 'pluginNotRetired'),
    )
  await setRetirement(tx, pluginId, isRetiring ? { by: actor, reason } : null)
  await recordAudit(tx, actor, {
    action,
    subject: pluginId,
    reason,
    changes: fieldChanges({ isRetired }, { isRetired: isRetiring }),
  })
  return requirePlugin(tx, pluginId)
}

/** Why an operation cannot be retried: it would call a retired plugin. Null if it can, which a DETACH always can. */
export async function retryOfRetired(db: Db, operation: OperationRow): Promise<DomainError | null> {
  if (operation.operation_type === 'DETACH') return null
  const [plugin] = await readRetired(db, await listOpenPlugins(db, operation.operation_id))
  return plugin === undefined
    ? null
    : new DomainError('PLUGIN_RETIRED', platformMessage('pluginRetiredRetry', { plugin }))
}
