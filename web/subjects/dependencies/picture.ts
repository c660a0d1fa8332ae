import type { DependencyGraph } from '#contract/console-api/shapes.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import { compareText } from '../../i18n/compare-text.ts'
import { scopeText } from '../scopes/scope-text.ts'

/** How many boxes a column has at most, so that it can be read. */
const COLUMN_MAX = 12

type GraphService = DependencyGraph['services'][number]
type GraphInstallation = DependencyGraph['installations'][number]

/** One box of the picture: a service, an installation, or several of one kind that are equally far away. */
export type Box = { id: string; distance: number } & (
  | { kind: 'service'; service: GraphService; moduleName: string | null }
  | { kind: 'installation'; installation: GraphInstallation }
  | {
      kind: 'services' | 'installations'
      /** Of the bundle that all belong to; null if they belong to several. */
      bundleTitle: string | null
      count: number
      /** The installations that the box leads to: its own, or those that refer to its services. */
      bundleInstallIds: string[]
    }
)

/** From what stops to what it reaches. */
export interface Line {
  from: string
  to: string
}

export interface Picture {
  boxes: Box[]
  lines: Line[]
}

interface Node {
  id: string
  distance: number
  kind: 'service' | 'installation'
  bundleKey: string | null
  bundleTitle: string | null
  box: Box
}

/**
 * What is drawn of a graph, ordered by distance. Of a column with too many boxes, those of one bundle become one; if
 * there are still too many, so do the smallest.
 */
export function pictureOf(graph: DependencyGraph): Picture {
  const nodes = nodesOf(graph)
  const usersOf = Map.groupBy(graph.uses, ({ serviceId }) => serviceId)
  const boxes: Box[] = []
  const boxOf = new Map<string, string>()
  const columns = Map.groupBy(nodes, ({ distance }) => distance)
  for (const column of [...columns.values()].sort((a, b) => (a[0]?.distance ?? 0) - (b[0]?.distance ?? 0)))
    for (const [box, members] of boxesOf(column, usersOf)) {
      boxes.push(box)
      for (const { id } of members) boxOf.set(id, box.id)
    }
  return { boxes, lines: linesOf(graph, boxOf) }
}

const serviceKey = (serviceId: string) => `service ${serviceId}`
const installationKey = (bundleInstallId: string) => `installation ${bundleInstallId}`

function nodesOf({ services, installations }: DependencyGraph): Node[] {
  const byId = new Map(installations.map((one) => [one.installation.bundleInstallId, one]))
  const bundleOf = (one: GraphInstallation | undefined) => ({
    bundleKey:
      one === undefined
        ? null
        : `${one.installation.bundle.environmentKey}/${one.installation.bundle.bundleId}`,
    bundleTitle: one?.title ?? null,
  })
  return [
    ...services.map((service): Node => {
      const id = serviceKey(service.serviceId)
      const { distance, owner } = service
      const moduleName = owner === null ? null : (parseLocator(owner.locator)?.name ?? null)
      return {
        id,
        distance,
        kind: 'service',
        ...bundleOf(owner === null ? undefined : byId.get(owner.bundleInstallId)),
        box: { id, distance, kind: 'service', service, moduleName },
      }
    }),
    ...installations.map((installation): Node => {
      const id = installationKey(installation.installation.bundleInstallId)
      const { distance } = installation
      return {
        id,
        distance,
        kind: 'installation',
        ...bundleOf(installation),
        box: { id, distance, kind: 'installation', installation },
      }
    }),
  ]
}

/** The uses of each service. */
type UsersOf = ReadonlyMap<string, DependencyGraph['uses']>

function boxesOf(column: readonly Node[], usersOf: UsersOf): [Box, Node[]][] {
  if (column.length <= COLUMN_MAX) return column.map((node) => [node.box, [node]])
  const groups = [...Map.groupBy(column, ({ bundleKey }) => bundleKey).values()].sort(
    (a, b) => b.length - a.length,
  )
  const isTooMany = groups.length > COLUMN_MAX
  const shown = isTooMany ? groups.slice(0, COLUMN_MAX - 1) : groups
  const rest = isTooMany ? groups.slice(COLUMN_MAX - 1).flat() : []
  return [...shown, ...(rest.length === 0 ? [] : [rest])].map((members) => [
    groupOf(members, usersOf),
    members,
  ])
}

function groupOf(members: readonly Node[], usersOf: UsersOf): Box {
  const [first] = members
  if (first === undefined) throw new RangeError('A group has members')
  if (members.length === 1) return first.box
  const isOfOneBundle = members.every(({ bundleKey }) => bundleKey === first.bundleKey)
  const ids = members.flatMap(({ box }) => installationsOf(box, usersOf))
  return {
    id: `group ${first.id}`,
    distance: first.distance,
    kind: first.kind === 'service' ? 'services' : 'installations',
    bundleTitle: isOfOneBundle ? first.bundleTitle : null,
    count: members.length,
    bundleInstallIds: [...new Set(ids)],
  }
}

/** The installation of a box, or those that refer to its service. */
function installationsOf(box: Box, usersOf: UsersOf): string[] {
  if (box.kind === 'installation') return [box.installation.installation.bundleInstallId]
  if (box.kind !== 'service') return box.bundleInstallIds
  return (usersOf.get(box.service.serviceId) ?? []).map(({ bundleInstallId }) => bundleInstallId)
}

function linesOf({ services, uses }: DependencyGraph, boxOf: ReadonlyMap<string, string>): Line[] {
  const lines = new Map<string, Line>()
  const add = (from: string | undefined, to: string | undefined) => {
    if (from !== undefined && to !== undefined && from !== to) lines.set(`${from} ${to}`, { from, to })
  }
  for (const { serviceId, owner } of services)
    if (owner !== null)
      add(boxOf.get(installationKey(owner.bundleInstallId)), boxOf.get(serviceKey(serviceId)))
  for (const { serviceId, bundleInstallId } of uses)
    add(boxOf.get(serviceKey(serviceId)), boxOf.get(installationKey(bundleInstallId)))
  return [...lines.values()]
}

/** An installation that is reached, by one of the services that it refers to. */
export interface ReachedUse {
  installation: GraphInstallation
  use: DependencyGraph['uses'][number]
  serviceTitle: string | null
  /** How many other installations are reached before it. */
  between: number
}

const placeOf = ({ title, installation }: GraphInstallation) => `${title} ${scopeText(installation)}`

/** What is reached, the nearest first; an installation that refers to several reached services has a row for each. */
export function reachedUses({ services, installations, uses }: DependencyGraph): ReachedUse[] {
  const stopped = new Map(
    services.flatMap((service) => (service.distance >= 0 ? [[service.serviceId, service]] : [])),
  )
  const usesOf = Map.groupBy(uses, ({ bundleInstallId }) => bundleInstallId)
  return installations
    .filter(({ distance }) => distance > 0)
    .flatMap((installation) => {
      // once for each, and not for each comparison
      const at = placeOf(installation)
      return (usesOf.get(installation.installation.bundleInstallId) ?? []).flatMap((use) => {
        const service = stopped.get(use.serviceId)
        return service === undefined
          ? []
          : [
              {
                at,
                row: {
                  installation,
                  use,
                  serviceTitle: service.title,
                  between: Math.floor(service.distance / 2),
                },
              },
            ]
      })
    })
    .sort((a, b) => a.row.between - b.row.between || compareText(a.at, b.at))
    .map(({ row }) => row)
}

/** How many installations use it, and how many more are reached through these. */
export function countReached({ installations }: DependencyGraph): { direct: number; further: number } {
  const reached = installations.filter(({ distance }) => distance > 0)
  const direct = reached.filter(({ distance }) => distance <= 2).length
  return { direct, further: reached.length - direct }
}
