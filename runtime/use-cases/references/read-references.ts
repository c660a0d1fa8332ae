import { mayIn } from '#contract/endpoint/permission.ts'
import type { AccessResolutionRequest } from '#contract/protocol/access-resolution.ts'
import { referencedServices, isData } from '#contract/protocol/data.ts'
import { Uuid } from '#contract/protocol/keys.ts'
import type { Reference } from '#contract/protocol/typed-value.ts'
import type { InstalledReference } from '#contract/runtime-api/references.ts'
import type { TargetRefusal } from '#contract/runtime-api/vocabulary.ts'
import { inTransaction } from '#database/transaction.ts'
import { PLUGIN_READS_VERSION } from '#contract/protocol/limits.ts'
import type { EventDeclarationsRequest, EventDeclarationsResponse } from '#contract/protocol/plugin-reads.ts'
import { isActive, resolversIn, targetRefusal, isSamePlace, mayResolve } from '../../engine/resolution.ts'
import { identityOf } from '../../engine/views.ts'
import type { Actor } from '../../model/actor.ts'
import type { Tx, Db } from '../../model/db.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { findInstallation, loadInstallations } from '../../store/installations/installations.ts'
import { listPluginsWithCredentials, readPluginStates } from '../../store/plugins/plugins.ts'
import {
  listReferences,
  readAuthorized,
  type ReferenceRow,
  type PluginReads,
} from '../../store/references.ts'
import { listServicesById, usableBy, type ServiceRow } from '../../store/services/services.ts'
import { notFound, requireVisible } from '../authorize.ts'
import { ReadRefusal } from './read-refusal.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { readDeclaredEvents } from '../../store/services/event-declarations.ts'

type Name = 'GET /installations/{bundleInstallId}/references'
type Service = InstalledReference['services'][number]

/**
 * The references of an installation. Each is checked with the rules of a resolution, for all plugins; nothing is
 * resolved, so no token is made. Refuses with NOT_FOUND.
 */
export function readReferences(
  { deps, actor }: ReadContext,
  { params: { bundleInstallId } }: Input<Name>,
): Promise<Answer<Name>> {
  return inTransaction(
    deps.db,
    async (tx) => {
      const installation = await findInstallation(tx, bundleInstallId)
      if (installation === undefined) throw notFound('installation')
      requireVisible(actor, scopeOf(installation), 'installation')
      const rows = await listReferences(tx, bundleInstallId)
      const checked = await checkProperties(tx, bundleInstallId, rows)
      const targets = await loadServices(tx, actor, {
        serviceIds: [...new Set(rows.flatMap(servicesOf))],
        isUsable: usableBy(scopeOf(installation)),
      })
      const pluginIds = [...new Set(checked.flatMap(({ resolvers }) => resolvers))]
      const states = await readPluginStates(tx, pluginIds)
      const holders = await listPluginsWithCredentials(tx, pluginIds)
      return {
        items: rows.map((row, index) => ({
          locator: row.locator,
          resourceTitle: row.resource_title,
          property: row.property,
          services: servicesOf(row).map((serviceId) => targets(serviceId)),
          isChanged: row.is_changed,
          plugins: (checked[index]?.resolvers ?? []).map((pluginId) => ({
            pluginId,
            isEnabled: states.get(pluginId)?.enabled === true && states.get(pluginId)?.retired !== true,
            ...(states.get(pluginId)?.retired && { isRetired: true as const }),
            hasCredential: holders.has(pluginId),
          })),
          refusal: checked[index]?.refusal ?? null,
        })),
      }
    },
    { isolation: 'repeatable read' },
  )
}

const servicesOf = ({ applied, saved }: ReferenceRow): string[] => {
  const value = applied ?? saved
  return value === null ? [] : referencedServices(value)
}

/** The checks of each property that do not depend on the services, in the order of a resolution. */
async function checkProperties(
  tx: Tx,
  bundleInstallId: string,
  rows: readonly ReferenceRow[],
): Promise<{ resolvers: string[]; refusal: InstalledReference['refusal'] }[]> {
  const applied = await readAuthorized(tx, bundleInstallId)
  if (applied === undefined || !isActive(applied))
    return rows.map(() => ({ resolvers: [], refusal: 'INSTALLATION_NOT_ACTIVE' }))
  const resolversOf = resolversIn(applied)
  return rows.map((row) => {
    const resolvers = resolversOf(row)
    if (resolvers.length === 0) return { resolvers, refusal: 'NO_PLUGIN' }
    return { resolvers, refusal: row.applied === null ? 'NOT_APPLIED' : null }
  })
}

/** The services by id, with owners that the actor may read. */
async function loadServices(
  tx: Tx,
  actor: Actor,
  { serviceIds, isUsable }: { serviceIds: readonly string[]; isUsable: ReturnType<typeof usableBy> },
): Promise<(serviceId: string) => Service> {
  const services = await listServicesById(tx, serviceIds, isUsable)
  const ownersOf = services.flatMap(({ owner }) => (owner === null ? [] : [owner.bundleInstallId]))
  const owners = new Map((await loadInstallations(tx, ownersOf)).map((row) => [row.bundle_install_id, row]))
  const ownerOf = ({ owner }: ServiceRow): Service['owner'] => {
    const row = owner === null ? undefined : owners.get(owner.bundleInstallId)
    return row !== undefined && mayIn(actor.grants, 'read', scopeOf(row)) ? identityOf(row) : null
  }
  const serviceOf = new Map(services.map((service) => [service.service_id, service]))
  return (serviceId) => {
    const service = serviceOf.get(serviceId)
    return {
      serviceId,
      title: service?.title ?? null,
      owner: service === undefined ? null : ownerOf(service),
      refusal: targetRefusal(service),
    }
  }
}

type PropertyOfInstallation = Pick<AccessResolutionRequest, 'installation' | 'resource' | 'propertyKey'>

/**
 * The current reference of a property and all its services, if the plugin may use every one of them now.
 *
 * Throws DomainError REFERENCE_NOT_AUTHORIZED, the same for a missing installation as for one of another plugin;
 * INSTALLATION_NOT_ACTIVE; REFERENCE_TARGET_UNAVAILABLE for a target that is not usable now.
 */
export async function loadTargets(
  reads: PluginReads,
  pluginId: string,
  request: PropertyOfInstallation,
): Promise<{ reference: Reference; targets: ServiceRow[] }> {
  const { installation, resource, propertyKey } = request
  const { bundleInstallId } = installation
  // valid ids are UUIDs, and the database would reject anything else
  if (!Uuid.safeParse(bundleInstallId).success) throw notAuthorized()
  const applied = await reads.appliedTargets({ bundleInstallId, resource, propertyKey })
  if (applied === undefined || !isSamePlace(applied, installation)) throw notAuthorized()
  if (!isActive(applied)) {
    const isEarly = applied.state === 'NOT_INSTALLED'
    const message = isEarly
      ? 'References of this installation resolve once its resources are installed, in AFTER_RESOURCES.'
      : 'References of this installation do not resolve now.'
    throw new ReadRefusal('INSTALLATION_NOT_ACTIVE', 'INSTALLATION_NOT_ACTIVE', message, {
      retryable: isEarly,
    })
  }
  if (!mayResolve(applied, { pluginId, resource, propertyKey })) throw notAuthorized()
  const reference = applied.value
  if (reference === null || isData(reference)) throw notAuthorized()
  const targetOf = new Map(applied.targets.map((target) => [target.service_id, target]))
  const targets = referencedServices(reference).map((serviceId) =>
    requireTarget(serviceId, targetOf.get(serviceId)),
  )
  return { reference, targets }
}

function requireTarget(serviceId: string, service: ServiceRow | undefined): ServiceRow {
  const refusal = targetRefusal(service)
  if (refusal === 'NOT_ALLOWED')
    throw new ReadRefusal(
      'SERVICE_NOT_ALLOWED',
      'REFERENCE_NOT_AUTHORIZED',
      `This scope may not use the service ${serviceId}.`,
      { serviceId },
    )
  if (service === undefined || refusal !== null) throw unavailable(serviceId, refusal ?? 'NOT_REGISTERED')
  return service
}

const UNAVAILABLE = {
  NOT_REGISTERED: 'is not registered',
  DISABLED: 'is disabled',
  OWNER_NOT_ACTIVE: 'belongs to a Module whose installation is not active',
} satisfies Partial<Record<TargetRefusal, string>>

function notAuthorized(): ReadRefusal {
  return new ReadRefusal(
    'NOT_AUTHORIZED',
    'REFERENCE_NOT_AUTHORIZED',
    'The plugin may not resolve this property: there is no such installed reference, or its authorization does not list it.',
  )
}

function unavailable(serviceId: string, refusal: keyof typeof UNAVAILABLE): ReadRefusal {
  const message = `The service ${serviceId} ${UNAVAILABLE[refusal]}.`
  return new ReadRefusal(`SERVICE_${refusal}`, 'REFERENCE_TARGET_UNAVAILABLE', message, {
    retryable: true,
    serviceId,
  })
}

/**
 * The events that each target of a reference property accepts; the same checks as for resolving it. A service without an
 * owning Module accepts any payload for its methods. Throws DomainError as {@link loadTargets} does.
 */
export async function readEventDeclarations(
  { db, reads }: { db: Db; reads: PluginReads },
  pluginId: string,
  { installation, resource, propertyKey }: EventDeclarationsRequest,
): Promise<EventDeclarationsResponse> {
  const { targets } = await loadTargets(reads, pluginId, { installation, resource, propertyKey })
  const declared = await readDeclaredEvents(
    db,
    targets.map(({ service_id }) => service_id),
  )
  return {
    contractVersion: PLUGIN_READS_VERSION,
    installation,
    resource,
    propertyKey,
    events: Object.fromEntries(
      targets.map(({ service_id, methods }) => [
        service_id,
        declared.get(service_id) ?? methods.map((method) => ({ method, schema: true })),
      ]),
    ),
  }
}
