import type {
  Configuration,
  ConfigurationResource,
  PropertyView,
  Snapshot,
} from '#contract/console-api/shapes.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'

// Fixtures for the tests of this folder; not part of the page.

export const CORE = 'production/crm/MODULE/core'
export const MAIL = 'production/crm/MODULE/mail'

export const person = { id: 'ling', name: 'Ling Zhao' }
export const data = (value: JsonValue): PropertyView => ({ '@type': 'Data', value })
export const hidden = (isSet: boolean): PropertyView => ({ '@type': 'Data', isSensitive: true, isSet })
export const define = (more: Partial<PropertyDefinition> = {}): PropertyDefinition => ({
  kind: 'DATA',
  schema: true,
  ...more,
})

export const resource = (more: Partial<ConfigurationResource> = {}): ConfigurationResource => ({
  bundleInstallId: 'i-1',
  kind: 'MODULE',
  title: 'A module',
  properties: {},
  definitions: {},
  writtenBy: {},
  claim: null,
  ...more,
})

export const configuration = (
  snapshotVersion: number,
  resources: Record<string, ConfigurationResource>,
): Configuration => ({
  scope: { environmentKey: 'production', applicationRuntimeId: 'eu', workspaceId: 1 },
  snapshotVersion,
  savedAt: '2026-11-21T00:00:00.000Z',
  savedBy: person,
  resources,
})

export const snapshot = (snapshotVersion: number, changes: Snapshot['changes']): Snapshot => ({
  snapshotVersion,
  savedAt: '2026-11-21T00:00:00.000Z',
  savedBy: person,
  reason: null,
  cause: 'SAVE',
  operationId: null,
  operations: [],
  changes,
})
