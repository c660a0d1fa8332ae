import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareManifests, isSameManifest } from './compare-manifests.ts'
import type { Manifest, Resource } from './writers.ts'

const text = { kind: 'DATA', schema: { type: 'string' } } as const

const core = (properties: Resource['properties']): Resource => ({
  kind: 'MODULE',
  name: 'core',
  title: 'Core',
  moduleId: 'core',
  properties,
})

const plugin = (pluginId: string, writeProperties: string[] = []): Manifest['plugins'][number] => ({
  pluginId,
  order: 10,
  failurePolicy: 'FAIL_FAST',
  configuration: { schemaVersion: '1', values: {} },
  resources: [
    {
      object: { type: 'MODULE', moduleId: 'core' },
      readProperties: [],
      writeProperties,
      credentialProperties: [],
    },
  ],
})

const manifest = (resources: Resource[], plugins: Manifest['plugins'] = []): Manifest => ({
  bundle: { environmentKey: 'test', bundleId: 'crm' },
  version: '1',
  title: 'CRM',
  resources,
  plugins,
})

test('the same manifest with another version has no differences', () => {
  const one = manifest([core({ a: text })], [plugin('p')])
  assert.ok(isSameManifest(compareManifests(one, { ...one, version: '2' })))
})

test('resources and properties are added, removed and changed', () => {
  const before = manifest([core({ a: text, gone: text }), { ...core({}), kind: 'TIMER', name: 'old' }])
  const after = manifest([
    core({ a: { ...text, schema: { type: 'number' } }, came: text }),
    { ...core({}), kind: 'AGENT', name: 'new' },
  ])
  const { resources } = compareManifests(before, after)
  assert.deepEqual(
    resources.map(({ locator, change }) => [locator, change]),
    [
      ['test/crm/MODULE/core', 'changed'],
      ['test/crm/AGENT/new', 'added'],
      ['test/crm/TIMER/old', 'removed'],
    ],
  )
  assert.deepEqual(
    resources[0]?.properties.map(({ name, change, aspects }) => [name, change, aspects]),
    [
      ['a', 'changed', ['schema']],
      ['gone', 'removed', []],
      ['came', 'added', []],
    ],
  )
})

test('a property is newly required if only a person can set it', () => {
  const before = manifest([core({ a: text, was: { ...text, required: true } })])
  const after = manifest(
    [
      core({
        a: { ...text, required: true },
        was: { ...text, required: true, group: 'G' },
        usual: { ...text, required: true, default: 'x' },
        written: { ...text, required: true },
      }),
    ],
    [plugin('p', ['written'])],
  )
  const properties = compareManifests(before, after).resources[0]?.properties ?? []
  assert.deepEqual(
    properties.filter(({ isNewlyRequired }) => isNewlyRequired).map(({ name }) => name),
    ['a'],
  )
})

test('a property that a plugin begins to write is changed', () => {
  const before = manifest([core({ a: text })], [plugin('p')])
  const after = manifest([core({ a: text })], [plugin('p', ['a'])])
  const { resources, plugins } = compareManifests(before, after)
  assert.deepEqual(resources[0]?.properties[0]?.aspects, ['writer'])
  assert.deepEqual(plugins, [
    {
      pluginId: 'p',
      change: 'changed',
      order: { before: 10, after: 10 },
      isConfigurationChanged: false,
      rights: [{ locator: 'test/crm/MODULE/core', right: 'writes', gained: ['a'], lost: [] }],
    },
  ])
})

test('the protected property is never a change', () => {
  const before = manifest([core({})])
  const after = manifest([core({ instanceRefProperty: text })])
  assert.ok(isSameManifest(compareManifests(before, after)))
})
