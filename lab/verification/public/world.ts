import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { decodeData, wrapData } from '#contract/protocol/data.ts'
import { formatLocator } from '#contract/protocol/locator.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import { testingPlugin, type TestingPlugin } from '#runtime/testing/plugin.ts'
import { platform } from '../../../demo/people.ts'
import { sessionCookie } from '#bff/testing-browser.ts'
import { startSystem, type System } from '../../../e2e/harness/system.ts'
import { users } from '../../../e2e/harness/users.ts'
import { manifest, module } from '../manifests.ts'

const PLUGIN = 'recorder'
const bundle = { environmentKey: 'production', bundleId: 'public' }
export const locatorOf = (name: string): string => formatLocator({ ...bundle, kind: 'MODULE', name })
export const CORE = locatorOf('core')

const CONFIGURATION = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const

export type Properties = AuthorManifest['resources'][number]['properties']

/** An answer of the console over HTTP. */
export interface ConsoleAnswer {
  status: number
  json: JsonValue
}

/** A whole system with one plugin that records what it receives. */
export class World {
  readonly system: System
  private readonly plugin: TestingPlugin
  /** Each person may send 20 writes a second, so several take turns. */
  private readonly cookies: readonly string[]
  private sent = 0

  private constructor(system: System, testing: TestingPlugin, cookies: readonly string[]) {
    this.system = system
    this.plugin = testing
    this.cookies = cookies
  }

  /** Needs the built console in `dist/web`. */
  static async start(databaseUrl: string): Promise<World> {
    const system = await startSystem(0, databaseUrl)
    const testing = await testingPlugin()
    const body = { title: PLUGIN, endpoint: testing.endpoint(PLUGIN), enabled: true }
    await system.call(platform, 'PUT /plugins/{pluginId}', { params: { pluginId: PLUGIN }, body }, 'recorder')
    const people = [users.admin, users.olivia, users.oscar]
    const cookies = await Promise.all(people.map((person) => sessionCookie(system.url, person)))
    return new World(system, testing, cookies)
  }

  async stop(): Promise<void> {
    await this.system.stop()
    await this.plugin.close()
  }

  /**
   * Publishes a bundle with Modules of these properties, by name, which the plugin reads, unless this version is published, and
   * installs it in a new scope. Values are given for the Module `core`.
   */
  async install(
    version: string,
    modules: Readonly<Record<string, Properties>>,
    values: JsonObject = {},
  ): Promise<Scope> {
    const resources = Object.entries(modules).map(([name, properties]) =>
      module(bundle.bundleId, name, properties),
    )
    const published = manifest(bundle, version, {
      resources,
      plugins: [
        {
          pluginId: PLUGIN,
          order: 1,
          failurePolicy: 'FAIL_FAST',
          configuration: { schemaVersion: '1', values: {} },
          resources: resources.map(({ moduleId = '', properties }) => ({
            object: { type: 'MODULE', moduleId },
            readProperties: Object.keys(properties),
            writeProperties: [],
            credentialProperties: [],
          })),
        },
      ],
    })
    await this.system.call(
      platform,
      'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
      { params: { ...bundle, version }, body: published },
      `publish-${version}`,
    )
    const scope = this.system.newScope()
    const wrapped = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, wrapData(value)]))
    const properties = Object.keys(wrapped).length === 0 ? {} : { [CORE]: wrapped }
    const { operation } = await this.system.call(
      platform,
      'POST /installations',
      { body: { scope, bundle, targetVersion: version, properties } },
      `install-${version}-${scope.workspaceId}`,
    )
    await this.ended(operation)
    return scope
  }

  async ended({ operationId }: Operation): Promise<void> {
    const { state } = await this.system.ended(operationId)
    if (state !== 'SUCCEEDED') throw new Error(`The operation is ${state}`)
  }

  readBundle(version: string) {
    return this.system.call(platform, 'GET /bundles/{environmentKey}/{bundleId}/versions/{version}', {
      params: { ...bundle, version },
    })
  }

  configuration(scope: Scope) {
    return this.system.call(platform, `GET ${CONFIGURATION}`, { params: scope })
  }

  /** The values of all Modules in the last call for a scope that the plugin received, from its bytes. */
  valuesAtPlugin({ workspaceId }: Scope): Record<string, JsonValue> {
    const last = this.plugin.calls.findLast(({ request }) => request.installation.workspaceId === workspaceId)
    if (last === undefined) throw new Error('The plugin was not called')
    const entries = Object.values(last.request.resources)
    return Object.assign({}, ...entries.map(({ properties }) => decodeData(properties)))
  }

  /** The values of all Modules in the console's own answer, without those that it hides. */
  async valuesInConsole(scope: Scope, path = configurationPath(scope)): Promise<Record<string, JsonValue>> {
    const { json } = await this.send('GET', path)
    // the answer of a read
    const { resources } = json as unknown as { resources: Record<string, { properties: JsonObject }> }
    const views = Object.values(resources).flatMap(({ properties }) => Object.entries(properties))
    return Object.fromEntries(
      views.flatMap(([name, view]) =>
        isJsonObject(view) && 'value' in view ? [[name, view['value'] ?? null]] : [],
      ),
    )
  }

  /** Sends a request of a person to the console, with exactly this body; waits where it is asked to wait. */
  async send(method: string, path: string, body: string | Uint8Array | null = null): Promise<ConsoleAnswer> {
    for (;;) {
      const cookie = this.cookies[this.sent++ % this.cookies.length] ?? ''
      const response = await fetch(new URL(`/api${path}`, this.system.url), {
        method,
        headers: {
          cookie,
          origin: this.system.url,
          'sec-fetch-site': 'same-origin',
          'x-requested-by': 'console',
          ...(body !== null && {
            'content-type': 'application/json',
            'idempotency-key': crypto.randomUUID(),
          }),
        },
        ...(body !== null && { body: new Uint8Array(Buffer.from(body)) }),
      })
      const text = await response.text()
      if (response.status !== 429) return { status: response.status, json: JSON.parse(text) as JsonValue }
      const seconds = Number(response.headers.get('retry-after') ?? 1)
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    }
  }
}

export const configurationPath = ({ environmentKey, applicationRuntimeId, workspaceId }: Scope): string =>
  `/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}/configuration`
