import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { decodeData, wrapData } from '#contract/protocol/data.ts'
import { formatLocator } from '#contract/protocol/locator.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import { testingPlugin, type TestingPlugin } from '#runtime/testing/plugin.ts'
import { platform } from '../../demo/people.ts'
import { sessionCookie } from '../../demo/sign-in.ts'
import { startSystem, type System } from '../../e2e/harness/system.ts'
import { users } from '../../e2e/harness/users.ts'
import { manifest, module, plugin } from '../manifests.ts'

const PLUGIN = 'recorder'
const bundle = { environmentKey: 'production', bundleId: 'public' }
export const CORE = formatLocator({ ...bundle, kind: 'MODULE', name: 'core' })

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

  /** Publishes a bundle with one Module of these properties, which the plugin reads, and installs it in a new scope. */
  async install(version: string, properties: Properties, values: JsonObject): Promise<Scope> {
    const published = manifest(bundle, version, {
      resources: [module(bundle.bundleId, 'core', properties)],
      plugins: [plugin(bundle.bundleId, PLUGIN, 1, { reads: Object.keys(properties) })],
    })
    await this.system.call(
      platform,
      'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
      { params: { ...bundle, version }, body: published },
      `publish-${version}`,
    )
    const scope = this.system.newScope()
    const wrapped = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, wrapData(value)]))
    const { operation } = await this.system.call(
      platform,
      'POST /installations',
      { body: { scope, bundle, targetVersion: version, properties: { [CORE]: wrapped } } },
      `install-${version}`,
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

  /** The values of the last call that the plugin received, from its bytes. */
  valuesAtPlugin(): Record<string, JsonValue> {
    const entry = this.plugin.calls.at(-1)?.request.resources[CORE]
    if (entry === undefined) throw new Error('The plugin was not called for the Module')
    return decodeData(entry.properties)
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
