import * as z from 'zod'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { ACCESS_VERSION } from '#contract/protocol/limits.ts'
import { readTestAnswer, RESOLVE } from '#runtime/testing/http.ts'
import type { TestAnswer, Call, TestHttp } from '#runtime/testing/http.ts'
import { BUNDLES, manifestOf, PLUGINS, typedValue } from './bundles.ts'
import type { PluginName } from './bundles.ts'
import type { Command } from './command.ts'
import type { Plugins } from './plugins.ts'
import { SERVICE } from './rules.ts'
import type { CreatedIds, Given } from './rules.ts'
import { emptyModel, required, splitKey } from './state.ts'
import type { Model } from './state.ts'

/** The response to a command. */
export interface CommandAnswer {
  code: string
  ids: CreatedIds
}

type Request = Required<Pick<Call, 'method'>> & Pick<Call, 'body' | 'key'> & { path: string }

/** The environment, bundles, plugins and scope of one run. The runtime is shared with other runs. */
export class TestScope {
  readonly environmentKey: string
  readonly runtime: TestHttp
  readonly plugins: Plugins

  constructor(runtime: TestHttp, plugins: Plugins, run: number) {
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

  /** Registers plugins and services and publishes versions 1 and 2. Returns the model of that state. */
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

  /** Releases blocked calls, so that the run no longer occupies the worker. */
  end(): void {
    for (const name of PLUGINS) this.plugins.setMode(this.pluginId(name), 'ok')
  }

  /** Sends the command. If `isRepeated`, sends it again with the same key, and throws if the responses differ. */
  async perform(model: Model, command: Command, isRepeated: boolean): Promise<CommandAnswer> {
    if (command.kind === 'mode') {
      this.plugins.setMode(this.pluginId(command.plugin), command.mode)
      return { code: '0', ids: { operations: [] } }
    }
    if (command.kind === 'resolve') return this.resolve(model, command)
    const request = { ...this.requestOf(model, command), key: crypto.randomUUID() }
    const answer = await this.write(request)
    if (isRepeated) {
      const repeat = JSON.stringify((await this.write(request)).json)
      const { json, data, errorCode } = answer
      const isSecret = command.kind === 'make-credential' && errorCode === '0'
      const expected = isSecret ? { ...json, data: { ...data, secret: null } } : json
      if (repeat !== JSON.stringify(expected))
        throw new Error(`a repeat of ${command.kind} was answered with ${repeat.slice(0, 200)}`)
    }
    return { code: answer.errorCode, ids: createdIds(answer) }
  }

  private registration(plugin: PluginName, enabled: boolean): Request {
    const pluginId = this.pluginId(plugin)
    const endpoint = this.plugins.endpoint(pluginId)
    const body = { title: plugin, endpoint, enabled, maxAttempts: 1, timeoutMs: 60_000 }
    return { method: 'PUT', path: `/plugins/${pluginId}`, body }
  }

  private publication(of: { bundle: string; version: string; variant: number }): Request {
    const manifest = manifestOf(this.environmentKey, of, (name) => this.pluginId(name))
    return {
      method: 'PUT',
      path: `/bundles/${this.environmentKey}/${of.bundle}/versions/${of.version}`,
      // a manifest is JSON
      body: manifest as unknown as JsonValue,
    }
  }

  private async write({ path, ...call }: Request): Promise<TestAnswer> {
    const answer = await this.runtime.call(path, call)
    if (answer.status !== 200) throw new Error(`${call.method} ${path} was answered with ${answer.status}`)
    return answer
  }

  private requestOf(
    model: Model,
    command: Exclude<Command, { kind: 'mode' } | { kind: 'resolve' }>,
  ): Request {
    const reason = 'a run of the model'
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
        const { id } = required(model.operations[command.operation])
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
        const { id } = required(model.credentials[command.credential])
        return { method: 'DELETE', path: `/plugins/${this.pluginId('one')}/credentials/${id}` }
      }
      case 'local-service': {
        const path = `/scopes/${this.environmentKey}/model/1/local-services/mail`
        return { method: 'PUT', path, body: { version: command.version, values: { host: 'localhost' } } }
      }
    }
  }

  private async resolve(model: Model, command: Command & { kind: 'resolve' }): Promise<CommandAnswer> {
    const { id, bundle } = required(model.installations[command.installation])
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
    const { secret } = required(model.credentials[command.credential])
    const response = await this.runtime.send(RESOLVE, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { status, errorCode } = await readTestAnswer(response)
    return { code: status === 200 ? errorCode : 'AUTHENTICATION_REQUIRED', ids: { operations: [] } }
  }

  private changes(given: Given): JsonValue {
    const changes: { [locator: string]: { [property: string]: JsonValue } } = {}
    for (const [key, value] of given) {
      const { place, property } = splitKey(key)
      const ofPlace = (changes[`${this.environmentKey}/${place}`] ??= {})
      const isService = value !== null && typeof value === 'object'
      ofPlace[property] = typedValue(isService ? { service: this.serviceId(value.service) } : value)
    }
    return changes
  }

  private serviceId(service: string): string {
    return `${service}-${this.environmentKey}`
  }
}

const idOf = (model: Model, installation: number): string => required(model.installations[installation]).id

const Started = z.object({ operationId: z.string() })
const Created = z.object({
  installation: z.object({ installation: z.object({ bundleInstallId: z.string() }) }).optional(),
  operation: Started.optional(),
  operations: z.array(Started).optional(),
  credentialId: z.string().optional(),
  secret: z.string().nullable().optional(),
})

function createdIds({ errorCode, data }: TestAnswer): CreatedIds {
  if (errorCode !== '0') return { operations: [] }
  const { installation, operation, operations = [], credentialId, secret } = Created.parse(data)
  const started = [...(operation === undefined ? [] : [operation]), ...operations]
  return {
    ...(installation !== undefined && { installation: installation.installation.bundleInstallId }),
    operations: credentialId ? [credentialId, secret ?? ''] : started.map(({ operationId }) => operationId),
  }
}
