import { DEPENDENCY_NODES_MAX } from '#contract/runtime-api/dependencies.ts'
import type { DependencyGraph } from '#contract/runtime-api/dependencies.ts'
import { inTransaction } from '#database/transaction.ts'
import { identityOf } from '../../engine/views.ts'
import type { Actor } from '../../model/actor.ts'
import type { Tx } from '../../model/db.ts'
import { listNamed, listOwned, listUsers, listUses, listVisible } from '../../store/services/dependencies.ts'
import type {
  DependencyInstallation,
  DependencyService,
  ServiceUse,
} from '../../store/services/dependencies.ts'
import { notFound } from '../authorize.ts'
import type { Answer, Input, ReadContext } from '../context.ts'

/** How many steps a graph has in each direction: six installations in a row. */
const STEPS_MAX = 12
/** How many of its nodes are what is reached; the rest is for what is needed. */
const REACHED_MAX = DEPENDENCY_NODES_MAX - 200

/** A graph in the making. Each node has the distance at which it was found first. In a circle, all nodes are reached. */
interface Graph {
  services: Map<string, DependencyService & { distance: number }>
  installations: Map<string, DependencyInstallation & { distance: number }>
  uses: Map<string, ServiceUse>
  more: number
}

/** What a service needs, and what is reached if it stops. Refuses with NOT_FOUND. */
export function readServiceDependencies(
  { deps, actor }: ReadContext,
  { params: { serviceId } }: Input<'GET /services/{serviceId}/dependencies'>,
): Promise<Answer<'GET /services/{serviceId}/dependencies'>> {
  return inTransaction(
    deps.db,
    async (tx) => {
      const [service] = await listNamed(tx, [serviceId])
      if (service === undefined || service.title === null) throw notFound('service')
      const graph = emptyGraph()
      addServices(graph, [service], 0)
      await addReached(tx, actor, graph, [serviceId], 1)
      const owners = await addOwners(tx, actor, graph, [service], -1)
      await addNeeded(tx, actor, graph, owners, -2)
      return viewOf(graph)
    },
    { isolation: 'repeatable read' },
  )
}

/** What an installation needs, and what is reached if it stops. Refuses with NOT_FOUND. */
export function readInstallationDependencies(
  { deps, actor }: ReadContext,
  { params: { bundleInstallId } }: Input<'GET /installations/{bundleInstallId}/dependencies'>,
): Promise<Answer<'GET /installations/{bundleInstallId}/dependencies'>> {
  return inTransaction(
    deps.db,
    async (tx) => {
      const [installation] = await listVisible(tx, actor, [bundleInstallId])
      if (installation === undefined) throw notFound('installation')
      const graph = emptyGraph()
      addInstallations(graph, [installation], 0)
      const owned = await addOwned(tx, graph, [bundleInstallId], 1)
      await addReached(tx, actor, graph, owned, 2)
      await addNeeded(tx, actor, graph, [bundleInstallId], -1)
      return viewOf(graph)
    },
    { isolation: 'repeatable read' },
  )
}

const emptyGraph = (): Graph => ({ services: new Map(), installations: new Map(), uses: new Map(), more: 0 })

const roomIn = ({ services, installations }: Graph, max: number): number =>
  Math.max(0, max - services.size - installations.size)

/**
 * Adds what is reached if services stop: installations that refer to them, with all services that these own, and so on.
 * An installation is reached as a whole: which of its Modules needs which of its references, no manifest says.
 */
async function addReached(
  tx: Tx,
  actor: Actor,
  graph: Graph,
  serviceIds: readonly string[],
  distance: number,
): Promise<void> {
  if (serviceIds.length === 0) return
  const { installations, uses, total } = await listUsers(tx, actor, {
    serviceIds,
    known: [...graph.installations.keys()],
    limit: distance > STEPS_MAX ? 0 : roomIn(graph, REACHED_MAX),
  })
  addInstallations(graph, installations, distance)
  addUses(graph, uses)
  graph.more += total - installations.length
  const ids = installations.map(({ bundle_install_id }) => bundle_install_id)
  await addReached(tx, actor, graph, await addOwned(tx, graph, ids, distance + 1), distance + 2)
}

/** Adds what installations need: the services to which they refer, the installations that own these, and so on. */
async function addNeeded(
  tx: Tx,
  actor: Actor,
  graph: Graph,
  bundleInstallIds: readonly string[],
  distance: number,
): Promise<void> {
  if (bundleInstallIds.length === 0) return
  const uses = await listUses(tx, bundleInstallIds)
  const found = [...new Set(uses.map(({ service_id }) => service_id))].filter(
    (serviceId) => !graph.services.has(serviceId),
  )
  const room = distance < -STEPS_MAX ? 0 : roomIn(graph, DEPENDENCY_NODES_MAX)
  graph.more += Math.max(0, found.length - room)
  const services = await listNamed(tx, found.slice(0, room))
  addServices(graph, services, distance)
  addUses(
    graph,
    uses.filter(({ service_id }) => graph.services.has(service_id)),
  )
  const owners = await addOwners(tx, actor, graph, services, distance - 1)
  await addNeeded(tx, actor, graph, owners, distance - 2)
}

/** Adds the services that installations own; answers their ids. */
async function addOwned(
  tx: Tx,
  graph: Graph,
  bundleInstallIds: readonly string[],
  distance: number,
): Promise<string[]> {
  if (bundleInstallIds.length === 0) return []
  const owned = await listOwned(tx, bundleInstallIds)
  const added = owned.filter(({ service_id }) => !graph.services.has(service_id))
  const shown = added.slice(0, roomIn(graph, REACHED_MAX))
  graph.more += added.length - shown.length
  addServices(graph, shown, distance)
  return shown.map(({ service_id }) => service_id)
}

/** Adds the installations that own services and that the actor may see; returns their ids. */
async function addOwners(
  tx: Tx,
  actor: Actor,
  graph: Graph,
  services: readonly DependencyService[],
  distance: number,
): Promise<string[]> {
  const owners = new Set(services.map(({ owner_bundle_install_id }) => owner_bundle_install_id))
  const added = [...owners].filter((id) => id !== null && !graph.installations.has(id)) as string[]
  if (added.length === 0) return []
  const visible = await listVisible(tx, actor, added)
  const shown = visible.slice(0, roomIn(graph, DEPENDENCY_NODES_MAX))
  graph.more += visible.length - shown.length
  addInstallations(graph, shown, distance)
  return added.filter((id) => graph.installations.has(id))
}

function addServices(graph: Graph, services: readonly DependencyService[], distance: number): void {
  for (const service of services) graph.services.set(service.service_id, { ...service, distance })
}

function addInstallations(
  graph: Graph,
  installations: readonly DependencyInstallation[],
  distance: number,
): void {
  for (const installation of installations)
    graph.installations.set(installation.bundle_install_id, { ...installation, distance })
}

function addUses(graph: Graph, uses: readonly ServiceUse[]): void {
  for (const use of uses) graph.uses.set(`${use.bundle_install_id} ${use.service_id}`, use)
}

function viewOf({ services, installations, uses, more }: Graph): DependencyGraph {
  return {
    services: [...services.values()].map((service) => ({
      serviceId: service.service_id,
      title: service.title,
      // a response never names an installation that the actor may not see
      owner:
        service.owner_bundle_install_id !== null &&
        service.owner_locator !== null &&
        installations.has(service.owner_bundle_install_id)
          ? { bundleInstallId: service.owner_bundle_install_id, locator: service.owner_locator }
          : null,
      distance: service.distance,
    })),
    installations: [...installations.values()].map((installation) => ({
      installation: identityOf(installation),
      title: installation.title,
      state: installation.state,
      distance: installation.distance,
    })),
    uses: [...uses.values()].map((use) => ({
      bundleInstallId: use.bundle_install_id,
      serviceId: use.service_id,
      properties: use.properties,
      propertyCount: use.property_count,
    })),
    more,
  }
}
