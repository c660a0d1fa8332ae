import { parseTrustedJson } from '#contract/protocol/strict-json.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import { DomainError } from '../../engine/refusals.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { scopeOfItem } from '../../store/batches/run-items.ts'
import type { LockedBatch, PendingItem } from '../../store/batches/run-items.ts'
import { batchPlace } from '../../sealing/places.ts'
import { opening, UnknownDataKey } from '../../sealing/sealed-value.ts'
import { saveConfiguration } from '../configuration/save.ts'
import { authorize } from '../authorize.ts'
import type { Answer, WriteContext } from '../context.ts'
import { detach } from '../installations/detach.ts'
import { installAs } from '../installations/install.ts'
import { lockAuthorized } from '../installations/lock-active.ts'
import { upgrade, evaluateUpgrade } from '../installations/upgrade.ts'
import { retryOperation } from '../operations/runs.ts'
import { takeOverOperation } from '../operations/take-over.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import { changesText, evaluateConfigure, filledUpgrade, inputFor, namedUpgrade } from './targets.ts'
import type { BatchInputParts } from './targets.ts'
import { wayOfItem } from '../gate/admit.ts'

/** The operation that an item started. */
export interface StartedOperation {
  operationId: string
  bundleInstallId: string
  run: number
}

/**
 * Carries out one item of a batch: the ordinary use case, with the ordinary checks as of now, and with the token of the
 * item's own plan. Returns the operation, or null if nothing has to change. Throws DomainError as the use case does,
 * and PLAN_STALE if the target has moved since the batch was made.
 */
export async function startItem(
  context: WriteContext,
  batch: LockedBatch,
  item: PendingItem,
): Promise<StartedOperation | null> {
  const withReason = {
    ...(batch.reason !== null && { reason: batch.reason }),
    ...(batch.overrides && { override: true as const }),
  }
  const withToken = item.plan_token === null ? {} : { planToken: item.plan_token }
  // an action that needs a reason is not made without one
  const required = { ...withReason, reason: batch.reason ?? '' }
  const installation = { params: { bundleInstallId: item.target }, query: {} }
  const operation = { params: { operationId: item.target }, query: {} }
  const run = item.run ?? 0
  switch (batch.action) {
    case 'RETRY':
      return started(
        await retryOperation(context, { ...operation, body: { run, ...withReason } }).catch(sinceMade),
      )
    case 'TAKEOVER':
      return started(
        await takeOverOperation(context, {
          ...operation,
          body: { run, ...required, ...withToken },
        }).catch(sinceMade),
      )
    case 'DETACH':
      return started(await detach(context, { ...installation, body: { ...required, ...withToken } }))
    case 'INSTALL': {
      const scope = await scopeOfItem(context.tx, item)
      authorize(context.actor, 'installation:install', scope)
      const { bundle, targetVersion, properties } = inputFor(
        await inputOfBatch(context, batch),
        scopeText(scope),
      )
      if (bundle === undefined || targetVersion === undefined)
        throw new TypeError('The input of an INSTALL has a bundle and a version')
      const body = { scope, bundle, targetVersion, properties, ...withReason, ...withToken }
      return started(await installAs(context, item.target, body))
    }
    case 'UPGRADE': {
      const found = await lockAuthorized(context, item.target, 'installation:upgrade')
      const { tx: db, deps, actor, comparing } = context
      const way = wayOfItem(batch.overrides, batch.reason, context)
      const reading = { db, vault: deps.vault, actor, comparing, way }
      const input = inputFor(await inputOfBatch(context, batch), item.target)
      const named = namedUpgrade(input)
      const hasValues = hasEntries(input.properties) || hasEntries(input.fill)
      const plan = hasValues ? (await evaluateUpgrade(reading, found, named)).plan : null
      if (plan !== null && hasEntries(input.properties))
        await requireUnmoved(context, { batch, item, input, plan })
      const body = { ...filledUpgrade(named, input, plan), ...withReason, ...withToken }
      return started(await upgrade(context, { ...installation, body }))
    }
    case 'CONFIGURE':
      return configure(context, batch, item)
  }
}

/** A refusal because the operation has moved on, in words for people who read a batch: nobody can reload there what it saw. */
function sinceMade(error: unknown): never {
  if (!(error instanceof DomainError)) throw error
  const { code, parameters = { reason: '' } } = error
  const { reason, run, seen, actual } = parameters
  if (reason === 'operationFailedAgain')
    throw new DomainError(
      code,
      platformMessage('batchOperationMoved', { run: Number(run), seen: Number(seen) }),
    )
  if (reason === 'operationNotFailed')
    throw new DomainError(code, platformMessage('batchOperationNotFailed', { actual: String(actual) }))
  throw error
}

const hasEntries = (of: object = {}): boolean => Object.keys(of).length > 0

const started = ({
  operation: { operationId, run, installation },
}: Pick<Answer<'POST /installations'>, 'operation'>): StartedOperation => ({
  operationId,
  bundleInstallId: installation.bundleInstallId,
  run,
})

async function configure(
  context: WriteContext,
  batch: LockedBatch,
  item: PendingItem,
): Promise<StartedOperation | null> {
  const { tx, deps } = context
  const input = inputFor(await inputOfBatch(context, batch), item.target)
  const { changes = {} } = input
  const found = await lockAuthorized(context, item.target, 'configuration:write')
  const { plan, refusals } = await evaluateConfigure(
    {
      db: tx,
      vault: deps.vault,
      actor: context.actor,
      comparing: context.comparing,
      way: wayOfItem(batch.overrides, batch.reason, context),
    },
    found,
    changes,
  )
  if (plan !== null) await requireUnmoved(context, { batch, item, input, plan })
  // a save would also change the other installations of the scope; what else refuses it, it says only if the target has not moved
  const notOwned = refusals.find(({ code }) => code === 'RESOURCE_OWNERSHIP_MISSING')
  if (notOwned !== undefined) throw notOwned
  const saved = await saveConfiguration(context, {
    params: scopeOf(found.scope),
    query: {},
    body: {
      snapshotVersion: found.scope.snapshot_version,
      changes,
      ...(batch.reason !== null && { reason: batch.reason }),
      ...(batch.overrides && { override: true }),
      ...(item.plan_token !== null && { planToken: item.plan_token }),
    },
  })
  const [operation] = saved.operations
  return operation === undefined ? null : started({ operation })
}

/**
 * Refuses with PLAN_STALE if a value that was saved since the batch was made would be overwritten unseen. Without a digest,
 * nothing had to change.
 */
async function requireUnmoved(
  { tx, deps: { vault } }: WriteContext,
  given: { batch: LockedBatch; item: PendingItem; input: BatchInputParts; plan: FrozenPlan },
): Promise<void> {
  const { changes_digest: seen } = given.item
  const text = changesText(given.batch.action, given.input, given.plan)
  // the key of the digest is removed a day after a rotation, and a batch can be paused for longer
  const isSeen =
    seen !== null &&
    (await opening(vault, tx, () => vault.isDigestOf(seen, text)).catch((error: unknown) => {
      if (error instanceof UnknownDataKey) return false
      throw error
    }))
  if (!isSeen) throw new DomainError('PLAN_STALE', platformMessage('planTargetMoved'))
}

async function inputOfBatch(
  { tx, deps: { vault } }: WriteContext,
  { batch_id, input }: LockedBatch,
): Promise<BatchInputParts> {
  const plain = await opening(vault, tx, () => vault.open(input, batchPlace(batch_id)))
  // `createBatch` has stored what the contract's schema had parsed
  return parseTrustedJson(plain.toString('utf8')) as BatchInputParts
}
