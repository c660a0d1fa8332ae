import assert from 'node:assert/strict'
import type { AccessResolutionResponse } from '#contract/protocol/access-resolution.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { uuidv7 } from '#http-kit/random.ts'
import { readTestAnswer, RESOLVE, testHttp, textOf } from './http.ts'
import type { TestAnswer, TestHttp } from './http.ts'
import type { RuntimeOptions } from '../app.ts'
import type { FrozenPlan } from '../model/plan.ts'

// One installed Module with references, written directly to the tables, so that any state is possible.

export const SCOPE = { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 7 }
const BUNDLE = { environmentKey: 'dev', bundleId: 'crm' }
export const CORE = 'dev/crm/MODULE/core'
export const reference = (serviceId: string) => ({ '@type': 'ServiceReference' as const, serviceId })

const PROPERTIES = {
  name: { kind: 'DATA', schema: { type: 'string' } },
  publisher: { kind: 'SERVICE_REFERENCE' },
  alsoMail: { kind: 'SERVICE_REFERENCE' },
  byCountry: { kind: 'SERVICE_REFERENCE_MAP' },
  inOrder: { kind: 'SERVICE_REFERENCE_LIST' },
}

const MANIFEST = {
  bundle: BUNDLE,
  version: '1.0.0',
  title: 'Customers',
  resources: [
    {
      kind: 'MODULE',
      name: 'core',
      title: 'Core',
      moduleId: 'crm-core',
      events: [
        { method: 'created', schema: true },
        {
          method: 'changed',
          schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
        },
      ],
      properties: PROPERTIES,
    },
  ],
  plugins: [
    {
      pluginId: 'tenants',
      order: 1,
      failurePolicy: 'FAIL_FAST',
      configuration: { schemaVersion: '1', values: {} },
      resources: [
        {
          object: { type: 'MODULE', moduleId: 'crm-core' },
          readProperties: ['name', 'alsoMail'],
          writeProperties: [],
          credentialProperties: ['publisher', 'byCountry', 'inOrder'],
        },
      ],
    },
  ],
}

const APPLIED = {
  name: { '@type': 'Data', value: 'Acme' },
  publisher: reference('mail'),
  alsoMail: reference('mail'),
  byCountry: {
    '@type': 'ServiceReferenceMap',
    valueMap: { de: reference('mail'), at: reference('chat'), ch: reference('mail') },
  },
  inOrder: {
    '@type': 'ServiceReferenceList',
    valueList: [reference('chat'), reference('mail'), reference('chat')],
  },
}

export type InstallationState = 'ACTIVE' | 'NOT_INSTALLED' | 'DETACHED'

export interface Claim {
  type: 'INSTALL' | 'UPGRADE' | 'CONFIGURE' | 'DETACH'
  phase: 'BEFORE_RESOURCES' | 'RESOURCES' | 'AFTER_RESOURCES'
  state?: 'RUNNING' | 'FAILED'
  /** The properties that the frozen plan allows the plugin to resolve. */
  credentialProperties?: readonly string[]
}

/** The setup of a resolution: two plugins, one published bundle, and one installation at a time. */
export class ResolveHarness {
  readonly http: TestHttp
  /** The credential that `resolve` sends. */
  secret = ''
  /** The installation that `request` names. */
  installId = ''
  private sequence = 0

  private constructor(http: TestHttp) {
    this.http = http
  }

  static async make(options: Partial<RuntimeOptions> = {}): Promise<ResolveHarness> {
    const deps = new ResolveHarness(await testHttp(options))
    for (const pluginId of ['tenants', 'other']) await deps.savePlugin(pluginId, { enabled: true })
    deps.secret = await deps.newSecret('tenants')
    const published = await deps.http.call('/bundles/dev/crm/versions/1.0.0', {
      method: 'PUT',
      body: MANIFEST,
    })
    assert.equal(published.errorCode, '0')
    return deps
  }

  async savePlugin(pluginId: string, { enabled }: { enabled: boolean }): Promise<void> {
    const body = { title: pluginId, endpoint: 'http://127.0.0.1:1/', enabled }
    await this.http.call(`/plugins/${pluginId}`, { method: 'PUT', body })
  }

  async newSecret(pluginId: string): Promise<string> {
    const answer = await this.http.call(`/plugins/${pluginId}/credentials`, { method: 'POST', body: {} })
    return textOf(answer.data['secret'])
  }

  async saveService(serviceId: string, fields: JsonObject): Promise<void> {
    const url = `http://127.0.0.1:9/${serviceId}/`
    const body = { title: serviceId, url, methods: [], owner: null, consumers: [], enabled: true, ...fields }
    const answer = await this.http.call(`/services/${serviceId}`, { method: 'PUT', body })
    assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
  }

  /** An active installation, and the services of its references, which its scope may use. */
  async putAll(): Promise<void> {
    await this.putInstallation('ACTIVE')
    await this.saveService('mail', { methods: ['send'], consumers: [SCOPE] })
    await this.saveService('chat', { consumers: [SCOPE] })
  }

  /** Replaces the installation with a new one that has its Module in the ledger. */
  async putInstallation(state: InstallationState): Promise<void> {
    const { db } = this.http.runtime.deps
    await db.deleteFrom('runtime.installed_resource').execute()
    await db.updateTable('runtime.installation').set({ state: 'DETACHED' }).execute()
    this.installId = await this.addInstallation(state)
  }

  /** Adds an installation in the scope with this workspace. */
  async addInstallation(state: InstallationState, workspaceId = SCOPE.workspaceId): Promise<string> {
    const { db } = this.http.runtime.deps
    const scope_id = await this.scopeId(workspaceId)
    const bundle_install_id = uuidv7(this.http.runtime.deps)
    const version = state === 'ACTIVE' ? '1.0.0' : null
    const columns = { ...COLUMNS, workspace_id: workspaceId }
    await db
      .insertInto('runtime.installation')
      .values({ ...columns, scope_id, bundle_install_id, title: 'Customers', state, version })
      .execute()
    await db
      .insertInto('runtime.installed_resource')
      .values({
        bundle_install_id,
        locator: CORE,
        scope_id,
        kind: 'MODULE',
        title: 'Core',
        module_id: 'crm-core',
        version: '1.0.0',
        definitions: JSON.stringify(PROPERTIES),
        written_by: '{}',
        properties: JSON.stringify(APPLIED),
      })
      .execute()
    return bundle_install_id
  }

  /** Inserts an operation that claims the installation. */
  async claim({
    type,
    phase,
    state = 'RUNNING',
    credentialProperties = ['publisher'],
  }: Claim): Promise<void> {
    const { db } = this.http.runtime.deps
    const operation_id = uuidv7(this.http.runtime.deps)
    await db
      .insertInto('runtime.operation')
      .values({
        ...COLUMNS,
        operation_id,
        bundle_install_id: this.installId,
        scope_id: await this.scopeId(),
        operation_type: type,
        current_version: null,
        target_version: '1.0.0',
        execution_sequence: ++this.sequence,
        state,
        phase,
        requested_by_id: 'ada',
        requested_by_name: 'Ada',
      })
      .execute()
    const resource = { resource: CORE, readProperties: [], writeProperties: [] }
    const plan: FrozenPlan = {
      resources: [],
      changes: [],
      plugins: [
        {
          pluginId: 'tenants',
          protocolVersion: '6.0.0',
          order: 1,
          failurePolicy: 'FAIL_FAST',
          configuration: { schemaVersion: '1', values: {} },
          resources: [{ ...resource, credentialProperties: [...credentialProperties] }],
        },
      ],
    }
    await db
      .insertInto('runtime.operation_plan')
      .values({ operation_id, plan: JSON.stringify(plan) })
      .execute()
  }

  async scopeId(workspace_id = SCOPE.workspaceId): Promise<number> {
    const { db } = this.http.runtime.deps
    const found = await db
      .selectFrom('runtime.scope')
      .select('scope_id')
      .where('workspace_id', '=', workspace_id)
      .executeTakeFirst()
    if (found !== undefined) return found.scope_id
    const { environment_key, application_runtime_id } = COLUMNS
    const made = await db
      .insertInto('runtime.scope')
      .values({
        environment_key,
        application_runtime_id,
        workspace_id,
        saved_by_id: 'ada',
        saved_by_name: 'Ada',
      })
      .returning('scope_id')
      .executeTakeFirstOrThrow()
    return made.scope_id
  }

  request(changes: JsonObject = {}): JsonObject {
    const installation = { ...SCOPE, bundleInstallId: this.installId, bundle: { ...BUNDLE } }
    return { contractVersion: '4.0.0', installation, resource: CORE, propertyKey: 'publisher', ...changes }
  }

  async resolve(body: JsonValue = this.request(), headers: Record<string, string> = {}): Promise<TestAnswer> {
    const response = await this.http.send(RESOLVE, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.secret}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return readTestAnswer(response)
  }
}

export const dataOf = (answer: TestAnswer) => answer.data as unknown as AccessResolutionResponse

const COLUMNS = {
  environment_key: SCOPE.environmentKey,
  application_runtime_id: SCOPE.applicationRuntimeId,
  workspace_id: SCOPE.workspaceId,
  bundle_environment_key: BUNDLE.environmentKey,
  bundle_id: BUNDLE.bundleId,
}
