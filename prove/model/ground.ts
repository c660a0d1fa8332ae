import * as z from 'zod'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { ACCESS_VERSION } from '#contract/protocol/limits.ts'
import type { Envelope, HttpRuntime, Request } from '../http-runtime.ts'
import { BUNDLES, manifestOf, PLUGINS, wrapped } from './bundles.ts'
import type { PluginName, Value } from './bundles.ts'
import type { Command } from './command.ts'
import type { Plugins } from './plugins.ts'
import { SERVICE } from './rules.ts'
import type { Given, Named } from './rules.ts'
import { demand, emptyModel, splitKey } from './state.ts'
import type { Model } from './state.ts'

/** What a command was answered, and the ids that it was given. */
export interface Answered {
  code: string
  named: Named
}

/** One run's own place in a runtime that others use too: its environment, bundles, plugins and scope. */
export class Ground {
  readonly environmentKey: string
  readonly runtime: HttpRuntime
  readonly plugins: Plugins

  constructor(runtime: HttpRuntime, plugins: Plugins, run: number) {
    this.runtime = runtime
    this.plugins = plugins
    this.environmentKey = `r${run}`
  }

  pluginId(name: PluginName): string {
    return `${this.environmentKey}-${name}`
  }

  get scope() {
    return { environmentKey: this.environmentKey, applicationRuntimeId: 'model', workspaceId: 1 }
  }

  get configurationPath(): string {
    return `/scopes/${this.environmentKey}/model/1/configuration`
  }

  /** Registers plugins and services and publishes the first versions; the model that goes with it. */
  async prepare(): Promise<Model> {
    const model = emptyModel()
    for (const plugin of PLUGINS) await this.write(this.registration(plugin, true))
    for (const service of [SERVICE, 'foreign']) {
      const consumers = service === SERVICE ? [this.scope] : []
      const body = {
        title: service,
        url: 'http://127.0.0.1:9',
        methods: ['sent'],
        owner: null,
        consumers,
        enabled: true,
      }
      await this.write({ method: 'PUT', path: `/services/${this.serviceId(service)}`, body })
    }
    for (const bundle of Object.keys(BUNDLES)) {
      for (const version of ['1', '2']) {
        await this.write(this.publication({ bundle, version, variant: 0 }))
        model.published.set(`${bundle} ${version}`, 0)
      }
    }
    return model
  }

  /** Nothing of this run waits any more, so that nothing of it costs the others. */
  end(): void {
    for (const name of PLUGINS) this.plugins.setMode(this.pluginId(name), 'ok')
  }

  /** Does the command; a repeat with the same key must be answered the same. */
  async perform(model: Model, command: Command, isRepeated: boolean): Promise<Answered> {
    if (command.kind === 'mode') {
      this.plugins.setMode(this.pluginId(command.plugin), command.mode)
      return { code: '0', named: { operations: [] } }
    }
    if (command.kind === 'resolve') return this.resolve(model, command)
    const request = { ...this.requestOf(model, command), idempotencyKey: crypto.randomUUID() }
    const answer = await this.write(request)
    if (isRepeated) {
      const again = await this.write(request)
      const expected = command.kind === 'make-credential' ? withoutSecret(answer) : answer
      if (JSON.stringify(again) !== JSON.stringify(expected))
        throw new Error(
          `a repeat of ${command.kind} was answered with ${JSON.stringify(again).slice(0, 200)}`,
        )
    }
    return { code: answer.errorCode, named: namesIn(answer) }
  }

  private registration(plugin: PluginName, enabled: boolean): Request {
    const pluginId = this.pluginId(plugin)
    const endpoint = this.plugins.endpoint(pluginId)
    const body = { title: plugin, endpoint, enabled, maxAttempts: 1, timeoutMs: 60_000 }
    return { method: 'PUT', path: `/plugins/${pluginId}`, body }
  }

  private publication(of: { bundle: string; version: string; variant: number }): Request {
    const body = manifestOf(this.environmentKey, of, (name) => this.pluginId(name))
    return {
      method: 'PUT',
      path: `/bundles/${this.environmentKey}/${of.bundle}/versions/${of.version}`,
      body,
    }
  }

  private async write(request: Request): Promise<Envelope> {
    const answer = await this.runtime.ask({ idempotencyKey: crypto.randomUUID(), ...request })
    if (answer === null) throw new Error(`${request.method} ${request.path} was not answered`)
    return answer
  }

  private requestOf(
    model: Model,
    command: Exclude<Command, { kind: 'mode' } | { kind: 'resolve' }>,
  ): Request {
    const reason = 'the model says so'
    switch (command.kind) {
      case 'publish':
        return this.publication(command)
      case 'install': {
        const { bundle, version: targetVersion, given, copyFrom } = command
        const from = copyFrom === null ? {} : { copyFrom: { bundleInstallId: idOf(model, copyFrom) } }
        const body = {
          scope: this.scope,
          bundle: { environmentKey: this.environmentKey, bundleId: bundle },
          targetVersion,
          properties: this.changes(given),
          ...from,
        }
        return { method: 'POST', path: '/installations', body }
      }
      case 'save': {
        const body = { snapshotVersion: command.base, changes: this.changes(command.given), reason }
        return { method: 'PATCH', path: this.configurationPath, body }
      }
      case 'upgrade': {
        const { installation, version: targetVersion, given, base } = command
        const properties = base === null ? {} : { properties: this.changes(given), snapshotVersion: base }
        const path = `/installations/${idOf(model, installation)}/upgrade`
        return { method: 'POST', path, body: { targetVersion, ...properties } }
      }
      case 'detach':
        return {
          method: 'POST',
          path: `/installations/${idOf(model, command.installation)}/detach`,
          body: { reason },
        }
      case 'retry':
      case 'takeover': {
        const { id } = demand(model.operations[command.operation])
        return {
          method: 'POST',
          path: `/operations/${id}/${command.kind}`,
          body: { run: command.run, reason },
        }
      }
      case 'register':
        return this.registration(command.plugin, command.isEnabled)
      case 'make-credential':
        return { method: 'POST', path: `/plugins/${this.pluginId('one')}/credentials`, body: {} }
      case 'revoke-credential': {
        const { id } = demand(model.credentials[command.credential])
        return { method: 'DELETE', path: `/plugins/${this.pluginId('one')}/credentials/${id}` }
      }
      case 'local-service': {
        const path = `/scopes/${this.environmentKey}/model/1/local-services/mail`
        return { method: 'PUT', path, body: { version: command.version, values: { host: 'localhost' } } }
      }
    }
  }

  private async resolve(model: Model, command: Command & { kind: 'resolve' }): Promise<Answered> {
    const { id, bundle } = demand(model.installations[command.installation])
    const body = {
      contractVersion: ACCESS_VERSION,
      installation: {
        ...this.scope,
        bundleInstallId: id,
        bundle: { environmentKey: this.environmentKey, bundleId: bundle },
      },
      resource: `${this.environmentKey}/crm/MODULE/core`,
      propertyKey: 'publisher',
    }
    const answer = await this.runtime.resolve(demand(model.credentials[command.credential]).secret, body)
    return { code: answer?.errorCode ?? 'AUTHENTICATION_REQUIRED', named: { operations: [] } }
  }

  private changes(given: Given): JsonValue {
    const changes: { [locator: string]: { [property: string]: JsonValue } } = {}
    for (const [key, value] of given) {
      const { place, property } = splitKey(key)
      const ofPlace = (changes[`${this.environmentKey}/${place}`] ??= {})
      ofPlace[property] = wrapped(this.local(value))
    }
    return changes
  }

  private local(value: Value | null): Value | null {
    return value !== null && typeof value === 'object' ? { service: this.serviceId(value.service) } : value
  }

  private serviceId(service: string): string {
    return `${service}-${this.environmentKey}`
  }
}

const idOf = (model: Model, installation: number): string => demand(model.installations[installation]).id

const Started = z.object({ operationId: z.string() })
const Names = z.object({
  installation: z.object({ installation: z.object({ bundleInstallId: z.string() }) }).optional(),
  operation: Started.optional(),
  operations: z.array(Started).optional(),
  credentialId: z.string().optional(),
  secret: z.string().nullable().optional(),
})

function namesIn({ errorCode, data }: Envelope): Named {
  const found = errorCode === '0' ? Names.parse(data) : {}
  const installation = found.installation?.installation.bundleInstallId
  const started = [...(found.operation ? [found.operation] : []), ...(found.operations ?? [])]
  return {
    ...(installation !== undefined && { installation }),
    operations: found.credentialId
      ? [found.credentialId, found.secret ?? '']
      : started.map(({ operationId }) => operationId),
  }
}

function withoutSecret({ errorCode, data, ...rest }: Envelope): Envelope {
  return { ...rest, errorCode, data: errorCode === '0' ? { ...Object(data), secret: null } : data }
}
