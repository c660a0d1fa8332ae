import { PROPERTY } from './fill.ts'
import type { Actor } from '#runtime/model/actor.ts'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'

export interface Case {
  name: string
  path:
    | '/operations'
    | '/operations/counts'
    | '/operations/total'
    | '/installations'
    | '/installed-versions'
    | '/installed-versions/scopes'
    | '/properties'
    | '/causes'
    | '/causes/hours'
    | '/summary'
    | '/scopes'
  query: Record<string, string>
  /** The caller's grants; default: a person who may see everything. */
  grants?: Actor['grants']
}

/** Existing objects to query for. */
export interface Sample {
  operationId: string
  bundleInstallId: string
  environmentKey: string
  applicationRuntimeId: string
  workspaceId: number
  /** Cursors of page 1,000. */
  deepOperations: string
  deepInstallations: string
  deepMatrix: string
}

const permissions = [...PERMISSIONS]

/** Every page, filter, search and count that a person can request. */
export function casesFor(sample: Sample): Case[] {
  const operations = operationQueries(sample)
  const sentences = sentenceQueries(sample)
  const twentyScopes = Array.from({ length: 20 }, (_, index) => ({
    permissions,
    scope: {
      environmentKey: 'production',
      applicationRuntimeId: `shop-${index % 6}`,
      workspaceId: 10 * (index + 1) + (index % 6),
    },
  }))
  const other = JSON.stringify({ '@type': 'Data', value: 587 })
  const properties: Query[] = [
    ['first page', {}],
    ['a large environment', { environmentKey: 'production' }],
    ['a small environment', { environmentKey: 'pilot' }],
    ['a rare value', { differs: other }],
    ['set here', { origin: 'setHere' }],
    ['older than a year', { until: 'P365D' }],
    ['equals', { equals: other }],
  ]
  return [
    ...properties.map(([name, query]): Case => ({
      name: `a property, ${name}`,
      path: '/properties',
      query: { ...PROPERTY, ...query },
    })),
    {
      name: 'a property, seen in 20 scopes',
      path: '/properties',
      query: { ...PROPERTY },
      grants: twentyScopes,
    },
    ...operations.map(([name, query]): Case => ({ name: `operations, ${name}`, path: '/operations', query })),
    ...operations
      .filter(([, query]) => query.cursor === undefined && query.sort === undefined)
      .map(([name, query]): Case => ({
        name: `operations by end, ${name}`,
        path: '/operations',
        query: { ...query, sort: '-finishedAt' },
      })),
    ...sentences.map(([name, query]): Case => ({ name: `sentence, ${name}`, path: '/operations', query })),
    ...sentences.map(([name, query]): Case => ({
      name: `sentence by end, ${name}`,
      path: '/operations',
      query: { ...query, sort: '-finishedAt' },
    })),
    ...sentences.map(([name, query]): Case => ({
      name: `sentence total, ${name}`,
      path: '/operations/total',
      query,
    })),
    { name: 'operations by end, earliest first', path: '/operations', query: { sort: 'finishedAt' } },
    ...operations
      .filter(([, query]) => query.cursor === undefined && query.sort === undefined)
      .map(([name, query]): Case => ({ name: `total, ${name}`, path: '/operations/total', query })),
    ...installationQueries(sample).map(([name, query]): Case => ({
      name: `installations, ${name}`,
      path: '/installations',
      query,
    })),
    { name: 'operations, seen in 20 scopes', path: '/operations', query: {}, grants: twentyScopes },
    {
      name: 'operations by end, seen in 20 scopes',
      path: '/operations',
      query: { sort: '-finishedAt' },
      grants: twentyScopes,
    },
    { name: 'installations, seen in 20 scopes', path: '/installations', query: {}, grants: twentyScopes },
    {
      name: 'installations, outdated in 20 scopes',
      path: '/installations',
      query: { upgrade: 'available' },
      grants: twentyScopes,
    },
    { name: 'installed versions', path: '/installed-versions', query: { limit: '200' } },
    { name: 'installed versions, 20 scopes', path: '/installed-versions', query: {}, grants: twentyScopes },
    ...matrixQueries(sample).map(([name, query]): Case => ({
      name: `version matrix, ${name}`,
      path: '/installed-versions/scopes',
      query,
    })),
    {
      name: 'version matrix, 20 scopes',
      path: '/installed-versions/scopes',
      query: {},
      grants: twentyScopes,
    },
    { name: 'causes', path: '/causes', query: {} },
    { name: 'causes, a large environment', path: '/causes', query: { environmentKey: 'production' } },
    { name: 'causes, 20 scopes', path: '/causes', query: {}, grants: twentyScopes },
    { name: 'causes, past', path: '/causes', query: { when: 'past' } },
    { name: 'failures by plugin and hour', path: '/causes/hours', query: {} },
    { name: 'summary', path: '/summary', query: {} },
    { name: 'summary, an environment', path: '/summary', query: { environmentKey: 'production' } },
    { name: 'summary, 20 scopes', path: '/summary', query: {}, grants: twentyScopes },
    { name: 'counts, 48 hours', path: '/operations/counts', query: { bucket: 'hour' } },
    { name: 'counts, 60 days', path: '/operations/counts', query: { bucket: 'day' } },
    { name: 'counts, 120 minutes', path: '/operations/counts', query: { bucket: 'minute' } },
    { name: 'scopes', path: '/scopes', query: {} },
  ]
}

type Query = [name: string, query: Record<string, string>]

const scopeOf = ({ environmentKey, applicationRuntimeId, workspaceId }: Sample) => ({
  environmentKey,
  applicationRuntimeId,
  workspaceId: String(workspaceId),
})

/** Of the list of operations. */
function operationQueries(sample: Sample): Query[] {
  const { bundleInstallId, operationId, deepOperations } = sample
  const scope = scopeOf(sample)
  const day = new Date(Date.now() - 40 * 86_400_000)
  const span = { since: day.toISOString(), until: new Date(day.getTime() + 3_600_000).toISOString() }
  return [
    ['first page', {}],
    ['page 1000', { cursor: deepOperations }],
    ['oldest first', { sort: 'createdAt' }],
    ['a large environment', { environmentKey: 'production' }],
    ['a small environment', { environmentKey: 'pilot' }],
    ['one scope', scope],
    ['one installation', { bundleInstallId }],
    ['type', { operationType: 'UPGRADE' }],
    ['state FAILED', { state: 'FAILED' }],
    ['state WAITING', { state: 'WAITING' }],
    ['state RUNNING: none', { state: 'RUNNING' }],
    ['state SUCCEEDED', { state: 'SUCCEEDED' }],
    ['FAILED in an environment', { state: 'FAILED', environmentKey: 'test' }],
    ['phase', { phase: 'AFTER_RESOURCES' }],
    ['busy plugin', { pluginId: 'plugin-0' }],
    ['rare plugin', { pluginId: 'plugin-20' }],
    ['unused plugin', { pluginId: 'plugin-x' }],
    ['error code', { errorCode: 'PLUGIN_RESULT_UNKNOWN' }],
    ['busy person', { requestedBy: 'person-0' }],
    ['quiet person', { requestedBy: 'person-499' }],
    ['time', span],
    ['search: bundle', { q: 'BUNDLE-1' }],
    ['search: rare bundle', { q: 'bundle-49' }],
    ['search: person', { q: 'mira 1' }],
    ['search: end of an id', { q: operationId.slice(-8) }],
    ['search: id', { q: operationId }],
    ['search: ticket number', { q: 'CHG-2-300' }],
    ['search: a word of a third of all', { q: 'planned' }],
    ['search: a rare word', { q: 'urgent' }],
    ['search: a word of messages', { q: 'refused' }],
    ['search: words of a message', { q: 'log-in mail-12' }],
    ['search: beginning of a word', { q: 'CHG-2-30' }],
    ['search: frequent words', { q: 'planned chg' }],
    ['search: frequent words of messages', { q: 'host refused log-in' }],
    ['search: frequent words, none together', { q: 'planned refused' }],
    ['search: frequent words, rare together', { q: 'planned host refused' }],
    ['search: a word, FAILED', { q: 'urgent', state: 'FAILED' }],
    ['search: a word, one scope', { q: 'planned', ...scope }],
    ['search: nothing', { q: 'no such thing' }],
  ]
}

/** Searches of operations by several words. */
function sentenceQueries(sample: Sample): Query[] {
  return [
    ['a title and a word', { q: 'number bundle-3 planned' }],
    ['a title and a word that never meet', { q: 'bundle-49 mail-12' }],
    ['a scope and a word of messages', { q: 'shop-4 refused' }],
    ['a part of a scope', { q: 'production' }],
    ['two parts of a scope', { q: 'staging shop-7' }],
    ['a person and a bundle', { q: 'mira bundle-3' }],
    ['a person, a bundle and a word', { q: 'sofia bundle-7 urgent' }],
    ['a value', { q: 'Customer 4711' }],
    ['a value of many', { q: 'Hosting refused' }],
    ['a value and a word', { q: 'customer 4711 planned' }],
    ['an owner', { q: 'courier refused' }],
    ['since Tuesday', { q: 'bundle-3 planned since Tuesday' }],
    ['last hour', { q: 'planned last hour' }],
    ['FAILED', { q: 'shop-4 bundle-3 refused', state: 'FAILED' }],
    ['FAILED, none', { q: 'urgent bundle-3 refused', state: 'FAILED' }],
    ['one scope', { q: 'planned bundle', ...scopeOf(sample) }],
    ['fewer words', { q: 'mail doesn’t go out since Tuesday refused checkout' }],
    ['fewer words, frequent ones', { q: 'planned refused urgent nowhere' }],
    ['eight words', { q: 'planned bundle-3 shop-4 production mira refused urgent host' }],
    ['Chinese', { q: '周二以来邮件网关拒绝连接 refused' }],
  ]
}

/** Of the list of installations. */
function installationQueries(sample: Sample): Query[] {
  const { bundleInstallId, deepInstallations } = sample
  return [
    ['first page', {}],
    ['page 1000', { cursor: deepInstallations }],
    ['by bundle', { sort: 'bundleId' }],
    ['a large environment', { environmentKey: 'production' }],
    ['a small environment', { environmentKey: 'pilot' }],
    ['one scope', scopeOf(sample)],
    ['bundle', { bundleId: 'bundle-3' }],
    ['version', { version: '1.3.0' }],
    ['rare version', { version: '0.9.0' }],
    ['by version', { sort: 'version' }],
    ['by version, highest first', { sort: '-version' }],
    ['by version, one bundle', { sort: '-version', bundleId: 'bundle-3' }],
    ['by version, a large environment', { sort: 'version', environmentKey: 'production' }],
    ['by version, a small environment', { sort: 'version', environmentKey: 'pilot' }],
    ['outdated', { upgrade: 'available' }],
    ['outdated, by version', { upgrade: 'available', sort: 'version' }],
    ['outdated, by bundle', { upgrade: 'available', sort: 'bundleId' }],
    ['outdated, a large environment', { upgrade: 'available', environmentKey: 'production' }],
    ['outdated, a small environment', { upgrade: 'available', environmentKey: 'pilot' }],
    ['outdated, rare version', { upgrade: 'available', version: '0.9.0' }],
    ['outdated, rare version, by bundle', { upgrade: 'available', version: '0.9.0', sort: 'bundleId' }],
    ['outdated, one bundle', { upgrade: 'available', bundleId: 'bundle-3' }],
    ['up to date', { upgrade: 'none' }],
    ['state DETACHED', { state: 'DETACHED' }],
    ['state NOT_INSTALLED', { state: 'NOT_INSTALLED' }],
    ['not claimed', { claim: 'none' }],
    ['claimed', { claim: 'any' }],
    ['claim FAILED', { claim: 'FAILED' }],
    ['claim WAITING', { claim: 'WAITING' }],
    ['search: title', { q: 'number 4' }],
    ['search: bundle and scope', { q: 'bundle-3 shop-4' }],
    ['search: bundle and workspace', { q: 'bundle-9 1477' }],
    ['search: bundle and scope, by version', { q: 'bundle-3 shop-4', sort: 'version' }],
    ['search: bundle and scope, by bundle', { q: 'bundle-3 shop-4', sort: 'bundleId' }],
    ['search: bundle and scope, by bundle, last first', { q: 'bundle-1 shop-4', sort: '-bundleId' }],
    ['search: two bundles, by bundle', { q: 'bundle-3 bundle-4', sort: 'bundleId' }],
    [
      'search: bundle and scope, outdated, by bundle',
      { q: 'bundle-3 shop-4', upgrade: 'available', sort: 'bundleId' },
    ],
    ['search: end of an id', { q: bundleInstallId.slice(-8) }],
    ['search: nothing', { q: 'no such thing' }],
  ]
}

/** Of the versions by scope. */
function matrixQueries(sample: Sample): Query[] {
  return [
    ['first page', {}],
    ['page 100 of scopes', { cursor: sample.deepMatrix }],
    ['50 bundles', { bundleLimit: '50' }],
    ['a large environment', { environmentKey: 'production' }],
    ['a small environment', { environmentKey: 'pilot' }],
    ['one scope', scopeOf(sample)],
    ['outdated', { upgrade: 'available' }],
    ['outdated, a large environment', { upgrade: 'available', environmentKey: 'production' }],
    ['search: a bundle', { q: 'number 4' }],
    ['search: a rare bundle', { q: 'bundle-49' }],
    ['search: a rare bundle, outdated', { q: 'bundle-49', upgrade: 'available' }],
  ]
}
