import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import pg from 'pg'
import { consoleApi } from '#contract/console-api/rows.ts'
import { fillPath, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import { clientConfig } from '#database/settings.ts'
import { startChild } from '../processes/child.ts'
import { SCOPE, SIDES, WRITTEN } from './bundles.ts'
import type { CanaryKind } from './canaries.ts'
import { readOutbox } from './run.ts'
import type { World } from './world.ts'

/** Something in which no secret may be. */
export interface Place {
  name: string
  bytes: Buffer
  /** What has its rightful place here. */
  mayContain: readonly CanaryKind[]
}

const NOTHING: readonly CanaryKind[] = []
/** The registry of services keeps their addresses, and people who may read it see them. */
const ADDRESSES: readonly CanaryKind[] = ['address']

/** The audit, and what changed before a failure, show what was changed of a service. Who may read an operation may list services. */
const SHOW_SERVICES: ReadonlySet<string> = new Set([
  'GET /services',
  'GET /services/{serviceId}',
  'GET /audit',
  'GET /operations/{operationId}/context',
])

/** Rows of the registry of services, of the audit of its changes and of the responses to those. */
const REGISTRY: Readonly<Record<string, RegExp>> = {
  'runtime.service': /./,
  'runtime.audit_entry': /service\.save/,
  'runtime.idempotency': /PUT \S*\/services\//,
}

/** All that the programs say: responses of the console, metrics, the support bundle, outboxes, output. */
export async function placesOfAnswers(world: World): Promise<Place[]> {
  const places: Place[] = []
  const add = (name: string, text: string, mayContain = NOTHING): void =>
    void places.push({ name, bytes: Buffer.from(text), mayContain })
  for (const { name, text } of await consoleAnswers(world))
    add(`console: ${name}`, text, SHOW_SERVICES.has(name) ? ADDRESSES : NOTHING)
  const metrics = await fetch(`${world.replica.apiBase}/metrics`)
  add('metrics of the runtime', await metrics.text())
  add('support bundle', await supportBundle(world))
  for (const plugin of world.plugins) add(`outbox of ${plugin.pluginId}`, (await readOutbox(plugin)).text)
  return [...places, ...placesOfOutput(world)]
}

/** All that the processes printed. */
export const placesOfOutput = ({ output }: World): Place[] =>
  [...output].map(([name, lines]) => ({
    name: `output of ${name}`,
    bytes: Buffer.from(lines.join('\n')),
    mayContain: NOTHING,
  }))

/** All that is stored: the rows of both databases, and every file of programs and database server. */
export async function placesAtRest(world: World): Promise<Place[]> {
  const places: Place[] = []
  for (const { name, connection } of world.databases) {
    const client = new pg.Client(clientConfig(connection))
    await client.connect()
    try {
      places.push(...(await tablesOf(client, name)))
      await client.query('checkpoint')
      if (name === 'plugin') {
        const folder = join(world.databaseFolder, 'base', await oidOf(client))
        places.push(...filesOf("files of the plugin's database", folder, NOTHING))
      }
    } finally {
      await client.end()
    }
  }
  // the registry of services is in some of them, and in the log of changes
  places.push(...filesOf('files of the database server', world.databaseFolder, ADDRESSES))
  for (const [name, folder] of world.folders) places.push(...filesOf(`files of ${name}`, folder, NOTHING))
  return places
}

async function tablesOf(client: pg.Client, database: string): Promise<Place[]> {
  const tables = await client.query<{ schema: string; name: string }>(
    `select schemaname as schema, tablename as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const places: Place[] = []
  for (const { schema, name } of tables.rows) {
    // bytes are printed in hex
    const { rows } = await client.query<{ row: string }>(`select t::text as row from "${schema}"."${name}" t`)
    const registry = REGISTRY[`${schema}.${name}`]
    for (const [isRegistry, inside] of Map.groupBy(rows, ({ row }) => registry?.test(row) === true))
      places.push({
        name: `table ${schema}.${name} of the ${database}${isRegistry ? ', about services' : ''}`,
        bytes: Buffer.from(inside.map(({ row }) => row).join('\n')),
        mayContain: isRegistry ? ADDRESSES : NOTHING,
      })
  }
  return places
}

async function oidOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ oid: string }>(
    'select oid::text as oid from pg_database where datname = current_database()',
  )
  return rows[0]?.oid ?? ''
}

/** The files that hold the keys. */
const KEY_FILES: Readonly<Record<string, readonly CanaryKind[]>> = {
  'runtime-signing-key.json': ['runtime key'],
  'actor-key.json': ['assertion key'],
  'idp-signing-key.json': ['provider key'],
}

function filesOf(name: string, folder: string, mayContain: readonly CanaryKind[]): Place[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .map((path) => ({
      name: `${name}: ${relative(folder, path)}`,
      bytes: readFileSync(path),
      mayContain: [...mayContain, ...(KEY_FILES[basename(path)] ?? [])],
    }))
}

/** Every page of the console: each row of its API that reads, for every installation, operation, plugin and service. */
async function consoleAnswers(world: World): Promise<{ name: string; text: string }[]> {
  const answers: { name: string; text: string }[] = []
  const ask = async (name: string, path: string): Promise<string> => {
    const text = await world.askConsole(path)
    answers.push({ name, text })
    return text
  }
  const idsOf = async (list: string, field: string): Promise<string[]> => {
    const text = await world.askConsole(`/api${list}?limit=200`)
    return [...new Set([...text.matchAll(new RegExp(`"${field}":"([^"]+)"`, 'g'))].map(([, id = '']) => id))]
  }
  const params: Record<string, (string | number)[]> = {
    ...Object.fromEntries(Object.entries(SCOPE).map(([key, value]) => [key, [value]])),
    bundleInstallId: await idsOf('/installations', 'bundleInstallId'),
    operationId: await idsOf('/operations', 'operationId'),
    bundleId: world.plugins.map(({ pluginId }) => pluginId),
    pluginId: world.plugins.map(({ pluginId }) => pluginId),
    serviceId: world.plugins.map(({ serviceId }) => serviceId),
    version: ['1.0.0'],
    snapshotVersion: [1, 2],
  }
  const rows = Object.entries(consoleApi) as [EndpointName, EndpointRow][]
  for (const [name, row] of rows) {
    const { method, path } = splitName(name)
    if (method !== 'GET' || row.answers === 'events') continue
    const inside = path.startsWith('/bundles') ? { ...params, environmentKey: ['dev'] } : params
    for (const filled of pathsOf(path, inside)) {
      for (const query of QUERIES[name] ?? ['']) await ask(name, `/api${filled}${query}`)
    }
  }
  await ask('metrics', '/metrics')
  return answers
}

const STAGES = ['BEFORE_RESOURCES', 'AFTER_RESOURCES']
const QUERIES: Partial<Record<EndpointName, string[]>> = {
  'GET /audit': ['?limit=200'],
  'GET /calendar': ['?from=2026-11-30&days=35&timeZone=UTC'],
  'GET /installed-properties': ['?q=note'],
  'GET /properties': SIDES.map(
    ({ manifest: { bundle } }) =>
      `?bundleId=${bundle.bundleId}&kind=MODULE&resource=core&property=${WRITTEN}&limit=200`,
  ),
  'GET /operations/{operationId}/attempts': STAGES.flatMap((stage) =>
    ['alpha', 'beta'].map((pluginId) => `?stage=${stage}&pluginId=${pluginId}&limit=200`),
  ),
}

/** The path with every combination of the parameters that it has; none if nothing exists for one of them. */
function pathsOf(path: string, params: Readonly<Record<string, readonly (string | number)[]>>): string[] {
  const [first] = /\{(\w+)\}/.exec(path)?.slice(1) ?? []
  if (first === undefined) return [path]
  return (params[first] ?? []).flatMap((value) =>
    pathsOf(path.replaceAll(`{${first}}`, fillPath('{value}', { value })), params),
  )
}

async function supportBundle(world: World): Promise<string> {
  const [folder = ''] = world.folders.values()
  const out = join(folder, 'support-bundle.json')
  const child = startChild({
    file: new URL('../../../operating/support/main.ts', import.meta.url),
    args: ['--out', out],
    env: world.env,
  })
  const { code } = await child.exited
  if (code !== 0) throw new Error(`the support bundle failed: ${child.output().join(' | ')}`)
  return `${readFileSync(out, 'utf8')}${child.output().join('\n')}`
}
