import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { BundleRef } from '#contract/protocol/scope.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { DomainError } from '../../engine/refusals.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { findInstallation } from '../../store/installations/installations.ts'
import { readLastConfiguration, readUnfinishedInstall } from '../../store/installations/last-applied.ts'
import { withMarks } from '../../engine/calls/sensitive-values.ts'
import { readMarksSince } from '../../store/configuration/sensitivity.ts'
import type { Seed, Seeds } from '../../engine/plans/install-plan.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { InstallationRow } from '../../model/installation.ts'
import type { Vault } from '../../model/vault.ts'
import { authorize, requireVisible, notFound } from '../authorize.ts'

/** The installation to copy from, if the actor may see it (NOT_FOUND) and install there (PERMISSION_DENIED). */
export async function requireSource(db: Db, actor: Actor, bundleInstallId: string): Promise<InstallationRow> {
  const row = await findInstallation(db, bundleInstallId)
  if (row === undefined) throw notFound('installation to copy from')
  requireVisible(actor, scopeOf(row), 'installation to copy from')
  // a person who may only read there must not copy its sensitive values to where they may do more
  authorize(actor, 'installation:install', scopeOf(row))
  return row
}

/**
 * The last configuration of a DETACHED installation of the same bundle, including sensitive values, which never leave
 * the runtime. Refuses an installation that the actor may not see (NOT_FOUND) or install (PERMISSION_DENIED), that is
 * not DETACHED or belongs to another bundle.
 */
export async function readSeeds(
  { db, actor, vault }: { db: Db; actor: Actor; vault: Vault },
  bundleInstallId: string,
  bundle: BundleRef,
): Promise<Seeds> {
  const row = await requireSource(db, actor, bundleInstallId)
  const isSameBundle =
    row.bundle_environment_key === bundle.environmentKey && row.bundle_id === bundle.bundleId
  if (!isSameBundle || row.state !== 'DETACHED') {
    throw new DomainError('REQUEST_INVALID', platformMessage('seedNotDetached'))
  }
  const seeds = new Map<string, Map<string, Seed>>()
  const put = (locator: string, property: string, seed: Seed): void => {
    seeds.set(locator, (seeds.get(locator) ?? new Map<string, Seed>()).set(property, seed))
  }
  for (const { locator, property, value, is_sensitive } of await readLastConfiguration(
    db,
    vault,
    bundleInstallId,
  ))
    put(locator, property, { value, isSensitive: is_sensitive })
  if (seeds.size > 0) return seeds

  const install = await readUnfinishedInstall(db, vault, bundleInstallId)
  if (install === undefined) return seeds
  // later sensitive marks apply
  const plan = withMarks(install.plan, await readMarksSince(db, install.operationId))
  for (const { locator, properties, definitions } of plan.resources)
    for (const [property, value] of Object.entries(properties))
      put(locator, property, { value, isSensitive: getOwn(definitions, property)?.isSensitive === true })
  return seeds
}
