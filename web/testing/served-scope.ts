import type { Answer } from '../api/client.ts'
import type {
  Changes,
  Configuration,
  Operation,
  Person,
  PropertyView,
  Snapshot,
} from '#contract/console-api/shapes.ts'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { refusal, serveApi } from './api.ts'
import type { Handlers, ServedApi, ServedRequest } from './api.ts'

export const OLIVIA: Person = { id: 'olivia', name: 'Olivia Quill' }
export const MIRA: Person = { id: 'mira', name: 'Mira Castellan' }
export const MAIL = 'production/crm-suite/MODULE/crm-mail'
export const CORE = 'production/crm-suite/MODULE/crm-core'

const base = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const
export const CONFIGURATION = `GET ${base}` as const
export const PLAN = `POST ${base}/plan` as const
export const SAVE = `PATCH ${base}` as const
const INSTALL_ID = '0198c5a0-0000-7000-8000-000000000001'
const BEGIN = Date.parse('2026-11-22T08:00:00.000Z')

type Values = Record<string, Record<string, JsonValue>>

/** The configuration of one scope, served to the page under test; saves work as on the console's server. */
export interface ServedScope {
  api: ServedApi
  /** The address of the editor, at a resource. */
  address: (resource: string) => string
  /** The save requests of the page, in order. */
  saveRequests: () => ServedRequest[]
  /** The saved values. */
  values: () => Values
  snapshotVersion: () => number
  configuration: () => Configuration
  /** Plans a save; the default handler. */
  plan: (request: ServedRequest) => Answer<typeof PLAN>
  /** Handles a save; the default handler. */
  save: (request: ServedRequest) => SaveAnswer
  /** Saves as a colleague; the page is notified by the event stream. */
  saveAsColleague: (values: Values) => Promise<void>
  /** Reports the current snapshot on the event stream. */
  announce: () => Promise<void>
}

type SaveAnswer = Answer<typeof SAVE> | ReturnType<typeof refusal>

let scopes = 0

/** Serves a new scope for each call, so that it contains no draft of another test. */
export async function serveScope(handlers: Handlers = {}): Promise<ServedScope> {
  const scope: Scope = { environmentKey: 'production', applicationRuntimeId: 'eu', workspaceId: ++scopes }
  const installation = {
    ...scope,
    bundleInstallId: INSTALL_ID,
    bundle: { environmentKey: 'production', bundleId: 'crm-suite' },
  }
  let configuration = firstConfiguration(scope)
  const snapshots: Snapshot[] = []
  const operations: Operation[] = []
  const answered = new Map<string, Answer<typeof SAVE>>()

  const store = (changes: Changes, savedBy: Person, reason: string | null): void => {
    const snapshotVersion = configuration.snapshotVersion + 1
    const savedAt = at(snapshotVersion)
    const changed = changesTo(configuration, changes)
    configuration = { ...applied(configuration, changes), snapshotVersion, savedAt, savedBy }
    snapshots.unshift({
      snapshotVersion,
      savedAt,
      savedBy,
      reason,
      cause: 'SAVE',
      operationId: null,
      operations: [],
      changes: changed,
    })
  }

  const save = (request: ServedRequest): SaveAnswer => {
    const key = request.headers['idempotency-key'] ?? ''
    const earlier = answered.get(key)
    if (earlier !== undefined) return earlier
    // `serveApi` has validated it against the contract
    const { snapshotVersion, changes, reason } = request.body as SaveRequestBody
    if (snapshotVersion !== configuration.snapshotVersion)
      return refusal({ status: 409, code: 'CONFIGURATION_SNAPSHOT_STALE', message: 'Somebody saved first.' })
    store(changes, OLIVIA, reason ?? null)
    const operation: Operation = {
      operationId: crypto.randomUUID(),
      operationType: 'CONFIGURE',
      retryHelps: null,
      currentVersion: '1.0.0',
      targetVersion: '1.0.0',
      installation,
      executionSequence: operations.length + 2,
      run: 1,
      state: 'SUCCEEDED',
      phase: 'DONE',
      call: null,
      takesOver: null,
      takenOverBy: null,
      failure: null,
      requestedBy: OLIVIA,
      reason: reason ?? null,
      createdAt: configuration.savedAt,
      startedAt: configuration.savedAt,
      finishedAt: configuration.savedAt,
      nextAttemptAt: null,
      runStartedAt: configuration.savedAt,
      earlierRunsMs: 0,
      assignee: null,
      nextStep: { actor: 'NOBODY', action: 'NONE', since: configuration.savedAt },
    }
    operations.unshift(operation)
    const answer = { snapshotVersion: configuration.snapshotVersion, operations: [operation] }
    answered.set(key, answer)
    return answer
  }

  const plan = (request: ServedRequest): Answer<typeof PLAN> => {
    const { snapshotVersion, changes } = request.body as SaveRequestBody
    return {
      planToken: 'plan',
      snapshotVersion: configuration.snapshotVersion,
      stale: snapshotVersion !== configuration.snapshotVersion,
      changes: changesTo(configuration, changes),
      installations: [{ installation, claim: null, resources: Object.keys(changes), stages: [] }],
      problems: [],
    }
  }

  const announce = async (): Promise<void> => {
    const { savedAt, savedBy, snapshotVersion, resources } = configuration
    const row = { savedAt, savedBy, locators: Object.keys(resources) }
    await api.emit({
      kind: 'configuration',
      scope,
      id: `${scope.workspaceId}`,
      version: snapshotVersion,
      row,
    })
  }

  const api = await serveApi({
    'GET /session': () => ({
      user: OLIVIA,
      roles: ['operator'],
      permissions: [...PERMISSIONS],
      grants: [{ permissions: [...PERMISSIONS], scope: null }],
      environmentMarks: [],
    }),
    'GET /installations': () => ({ items: [], nextCursor: null }),
    'GET /operations': () => ({ items: operations, nextCursor: null }),
    'GET /operations/total': () => ({ total: operations.length, isMore: false }),
    'GET /operations/{operationId}/context': () => ({
      lastGood: null,
      since: new Date(0).toISOString(),
      causes: [],
      hasMore: false,
      valuesRead: [],
      referrers: { items: [], hasMore: false },
    }),
    'GET /saved-views': () => ({ items: [], nextCursor: null }),
    'GET /looked-at': () => ({ causesAt: null }),
    'PUT /looked-at': () => ({ causesAt: null }),
    [CONFIGURATION]: () => configuration,
    [`GET ${base}/history` as const]: () => ({ items: snapshots, nextCursor: null }),
    [PLAN]: plan,
    [SAVE]: save,
    ...handlers,
  })

  return {
    api,
    address: (resource) =>
      `/scopes/production/eu/${scope.workspaceId}/configuration?resource=${encodeURIComponent(resource)}`,
    saveRequests: () => api.requests(SAVE),
    values: () =>
      mapEntries(configuration.resources, ({ properties }) =>
        mapEntries(properties, (view) => ('value' in view ? view.value : null)),
      ),
    snapshotVersion: () => configuration.snapshotVersion,
    configuration: () => configuration,
    plan,
    save,
    announce,
    async saveAsColleague(values) {
      store(
        mapEntries(values, (properties) => mapEntries(properties, wrapData)),
        MIRA,
        null,
      )
      await announce()
    },
  }
}

interface SaveRequestBody {
  snapshotVersion: number
  changes: Changes
  reason?: string
}

const at = (snapshotVersion: number): string => new Date(BEGIN + snapshotVersion * 60_000).toISOString()

function firstConfiguration(scope: Scope): Configuration {
  const text = (title: string) => ({ kind: 'DATA' as const, schema: { type: 'string', title } })
  const number = (title: string, maximum: number) => ({
    kind: 'DATA' as const,
    schema: { type: 'integer', title, minimum: 1, maximum },
  })
  const resource = { bundleInstallId: INSTALL_ID, kind: 'MODULE' as const, writtenBy: {}, claim: null }
  return {
    scope,
    snapshotVersion: 1,
    savedAt: at(1),
    savedBy: MIRA,
    resources: {
      [CORE]: {
        ...resource,
        title: 'CRM core',
        properties: { seats: wrapData(5) },
        definitions: { seats: number('Seats', 500) },
      },
      [MAIL]: {
        ...resource,
        title: 'CRM mail',
        properties: {
          smtpHost: wrapData('smtp.example.com'),
          smtpPort: wrapData(587),
          smtpUser: wrapData('crm'),
        },
        definitions: {
          smtpHost: text('SMTP host'),
          smtpPort: number('SMTP port', 65_535),
          smtpUser: text('SMTP user'),
        },
      },
    },
  }
}

function changesTo({ resources }: Configuration, changes: Changes): Snapshot['changes'] {
  return Object.entries(changes).flatMap(([locator, properties]) =>
    Object.entries(properties).map(([property, value]) => ({
      locator,
      property,
      before: resources[locator]?.properties[property] ?? null,
      after: value === null ? null : viewOf(value),
    })),
  )
}

function applied(configuration: Configuration, changes: Changes): Configuration {
  const resources = { ...configuration.resources }
  for (const { locator, property, after } of changesTo(configuration, changes)) {
    const resource = resources[locator]
    if (resource === undefined) throw new TypeError(`The scope has no resource ${locator}`)
    const { [property]: _, ...others } = resource.properties
    resources[locator] = {
      ...resource,
      properties: after === null ? others : { ...others, [property]: after },
    }
  }
  return { ...configuration, resources }
}

/** A value as shown; no property of the scope is sensitive. */
function viewOf(value: NonNullable<Changes[string][string]>): PropertyView {
  return value['@type'] === 'Data' ? wrapData(value.value) : value
}

const mapEntries = <From, To>(of: Readonly<Record<string, From>>, map: (value: From) => To) =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value)]))
