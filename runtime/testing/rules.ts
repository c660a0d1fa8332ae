import assert from 'node:assert/strict'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { AuthorManifest, ManifestPlugin, ManifestResource } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { Configuration } from '#contract/runtime-api/configuration.ts'
import { InstallationDetail } from '#contract/runtime-api/installations.ts'
import { OperationDetail } from '#contract/runtime-api/operations.ts'
import type { RuntimeOptions } from '../app.ts'
import { until } from './stream.ts'
import { testHttp } from './http.ts'
import type { TestAnswer, Call, TestHttp } from './http.ts'
import { testingPlugin } from './plugin.ts'
import type { ArrivedCall, TestingPlugin } from './plugin.ts'
import type { Db } from '../model/db.ts'

// For tests of product rules on a complete runtime, from the outside: HTTP in front, a real HTTP server as the
// plugins, and a worker in between. Tests reach inside only for rules about stored data.

export interface RuleHarness {
  http: TestHttp
  plugin: TestingPlugin
  db: Db
  /** Returns an empty scope. */
  newScope(): Scope
  /** Makes a call that must succeed, and returns its data. */
  ok(path: string, call: Call): Promise<JsonObject>
  publish(...manifests: AuthorManifest[]): Promise<void>
  /** Registers plugins on the test plugin, with a short backoff. */
  register(...pluginIds: string[]): Promise<void>
  registerWith(pluginId: string, settings: JsonObject): Promise<void>
  install(manifest: AuthorManifest, options: InstallOptions): Promise<Started>
  /** Installs a bundle and waits for success. */
  installed(manifest: AuthorManifest, options: InstallOptions): Promise<string>
  upgrade(bundleInstallId: string, body: JsonObject): Promise<string>
  detach(bundleInstallId: string): Promise<string>
  takeOver(operation: OperationDetail): Promise<string>
  retry(operation: OperationDetail): Promise<void>
  /** Saves changes to the current snapshot. */
  save(scope: Scope, changes: Changes): Promise<TestAnswer>
  /** Saves, and waits until all its operations have succeeded. Returns their ids. */
  saved(scope: Scope, changes: Changes): Promise<string[]>
  operation(operationId: string): Promise<OperationDetail>
  /** Waits until the operation has finished. */
  ended(operationId: string): Promise<OperationDetail>
  succeeds(operationId: string): Promise<OperationDetail>
  fails(operationId: string, errorCode: string): Promise<OperationDetail>
  configuration(scope: Scope): Promise<Configuration>
  installation(bundleInstallId: string): Promise<InstallationDetail>
  callsOf(operationId: string): ArrivedCall[]
  close(): Promise<void>
}

export interface InstallOptions {
  scope: Scope
  properties?: Changes
  copyFrom?: string
}

export interface Started {
  bundleInstallId: string
  operationId: string
}

export async function startRuleHarness(options: Partial<RuntimeOptions> = {}): Promise<RuleHarness> {
  const plugin = await testingPlugin()
  const http = await testHttp({ worker: { pollMs: 100 }, ...options })
  let workspaceId = 1

  const ok = async (path: string, call: Call): Promise<JsonObject> => {
    const answer = await http.call(path, call)
    assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
    return answer.data
  }
  const started = async (path: string, body: JsonObject): Promise<string> =>
    operationIdOf(await ok(path, { method: 'POST', body }))
  const operation = async (operationId: string) =>
    OperationDetail.parse(await ok(`/operations/${operationId}`, {}))
  const ended = async (operationId: string) => {
    await untilEnded(http.runtime.deps.db, operationId)
    return operation(operationId)
  }
  const succeeds = async (operationId: string) => {
    const seen = await ended(operationId)
    assert.equal(seen.state, 'SUCCEEDED', JSON.stringify(seen.failure))
    return seen
  }
  const registerWith = async (pluginId: string, settings: JsonObject) => {
    // attempts for as long as a test looks at an operation that waits
    const body = {
      title: pluginId,
      endpoint: plugin.endpoint(pluginId),
      enabled: true,
      maxBackoffMs: 100,
      maxAttempts: 100,
    }
    await ok(`/plugins/${pluginId}`, { method: 'PUT', body: { ...body, ...settings } })
  }
  const configuration = async (scope: Scope) =>
    Configuration.parse(await ok(`${placeOf(scope)}/configuration`, {}))
  const save = async (scope: Scope, changes: Changes) => {
    const { snapshotVersion } = await configuration(scope)
    const body = { snapshotVersion, changes }
    return http.call(`${placeOf(scope)}/configuration`, { method: 'PATCH', body })
  }
  const install = async (manifest: AuthorManifest, { scope, properties, copyFrom }: InstallOptions) => {
    const body: JsonObject = {
      scope: { ...scope },
      bundle: { ...manifest.bundle },
      targetVersion: manifest.version,
      ...(properties && { properties }),
      ...(copyFrom !== undefined && { copyFrom: { bundleInstallId: copyFrom } }),
    }
    const data = await ok('/installations', { method: 'POST', body })
    const { operation: begun } = data as unknown as { operation: OperationDetail }
    return { bundleInstallId: begun.installation.bundleInstallId, operationId: begun.operationId }
  }

  return {
    http,
    plugin,
    db: http.runtime.deps.db,
    newScope: () => ({ environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: workspaceId++ }),
    ok,
    async publish(...manifests) {
      for (const manifest of manifests) {
        const { environmentKey, bundleId } = manifest.bundle
        const path = `/bundles/${environmentKey}/${bundleId}/versions/${manifest.version}`
        await ok(path, { method: 'PUT', body: manifest as unknown as JsonObject })
      }
    },
    async register(...pluginIds) {
      for (const pluginId of pluginIds) await registerWith(pluginId, {})
    },
    registerWith,
    install,
    async installed(manifest, installOptions) {
      const { bundleInstallId, operationId } = await install(manifest, installOptions)
      await succeeds(operationId)
      return bundleInstallId
    },
    upgrade: (bundleInstallId, body) => started(`/installations/${bundleInstallId}/upgrade`, body),
    detach: (bundleInstallId) =>
      started(`/installations/${bundleInstallId}/detach`, { reason: 'not needed any more' }),
    takeOver: ({ operationId, run }) =>
      started(`/operations/${operationId}/takeover`, { run, reason: 'it cannot end' }),
    async retry({ operationId, run }) {
      await started(`/operations/${operationId}/retry`, { run })
    },
    save,
    async saved(scope, changes) {
      const answer = await save(scope, changes)
      assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
      const operations = answer.data['operations'] as { operationId: string }[]
      for (const { operationId } of operations) await succeeds(operationId)
      return operations.map(({ operationId }) => operationId)
    },
    operation,
    ended,
    succeeds,
    async fails(operationId, errorCode) {
      const seen = await ended(operationId)
      assert.deepEqual(
        [seen.state, seen.failure?.errorCode],
        ['FAILED', errorCode],
        JSON.stringify(seen.failure),
      )
      return seen
    },
    configuration,
    installation: async (bundleInstallId) =>
      InstallationDetail.parse(await ok(`/installations/${bundleInstallId}`, {})),
    callsOf: (operationId) =>
      plugin.calls.filter(({ request }) => request.operation.operationId === operationId),
    async close() {
      await plugin.close()
      await http.close()
    },
  }
}

/**
 * Waits until an operation has finished. It looks at its state in the database: to read it over HTTP takes about
 * thirty times as much processor time, and a test waits for most of its time.
 */
export function untilEnded(db: Db, operationId: string): Promise<void> {
  return until(async () => {
    const { state } = await db
      .selectFrom('runtime.operation')
      .select('state')
      .where('operation_id', '=', operationId)
      .executeTakeFirstOrThrow()
    return ['SUCCEEDED', 'FAILED', 'TAKEN_OVER'].includes(state)
  })
}

function operationIdOf(data: JsonObject): string {
  const { operation } = data as unknown as { operation: OperationDetail }
  return operation.operationId
}

/** The path of a scope below the runtime API. */
export function placeOf({ environmentKey, applicationRuntimeId, workspaceId }: Scope): string {
  return `/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}`
}

/** A property with short text. */
export const TEXT = { kind: 'DATA', schema: { type: 'string', maxLength: 2_000 } } as const

/** A bundle of the environment `source`, which is not the environment where it is installed. */
export function bundleOf(
  bundleId: string,
  parts: { version?: string; resources: ManifestResource[]; plugins?: ManifestPlugin[] },
): AuthorManifest {
  const { version = '1.0.0', resources, plugins = [] } = parts
  return { bundle: { environmentKey: 'source', bundleId }, version, title: bundleId, resources, plugins }
}

/** A Module whose name is also its moduleId. */
export function moduleOf(name: string, properties: ManifestResource['properties']): ManifestResource {
  return { kind: 'MODULE', name, moduleId: name, title: name, properties }
}

interface Lists {
  reads?: string[]
  writes?: string[]
  resolves?: string[]
}

/** A plugin of a bundle with its authorizations on each Module, by name. */
export function bindingOf(pluginId: string, order: number, modules: Record<string, Lists>): ManifestPlugin {
  return {
    pluginId,
    order,
    failurePolicy: 'FAIL_FAST',
    configuration: { schemaVersion: '1', values: {} },
    resources: Object.entries(modules).map(([moduleId, { reads = [], writes = [], resolves = [] }]) => ({
      object: { type: 'MODULE', moduleId },
      readProperties: reads,
      writeProperties: writes,
      credentialProperties: resolves,
    })),
  }
}

export function locatorOf({ bundle }: AuthorManifest, name: string, kind = 'MODULE'): string {
  return `${bundle.environmentKey}/${bundle.bundleId}/${kind}/${name}`
}

/** Wraps values as they are transferred. */
export function wrapped(values: Record<string, JsonValue>): Record<string, TypedValue> {
  return Object.fromEntries(Object.entries(values).map(([property, value]) => [property, wrapData(value)]))
}
