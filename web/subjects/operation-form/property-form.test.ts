import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InstalledResource } from '#contract/console-api/shapes.ts'
import type { Manifest, Resource } from '../manifest/writers.ts'
import type { Edit } from '../../forms/property/property-edit.ts'
import { fieldId } from '../../forms/property/property-place.ts'
import { changesOf, installForm, leftBehind, upgradeForm } from './property-form.ts'

const text = { kind: 'DATA', schema: { type: 'string' } } as const
const LOCATOR = 'test/crm/MODULE/core'
const at = (property: string) => fieldId(LOCATOR, property)

const manifest = (properties: Resource['properties'], writes: string[] = []): Manifest => ({
  bundle: { environmentKey: 'test', bundleId: 'crm' },
  version: '2',
  title: 'CRM',
  resources: [{ kind: 'MODULE', name: 'core', title: 'Core', moduleId: 'core', properties }],
  plugins: [
    {
      pluginId: 'p',
      order: 1,
      failurePolicy: 'FAIL_FAST',
      configuration: { schemaVersion: '1', values: {} },
      resources: [
        {
          object: { type: 'MODULE', moduleId: 'core' },
          readProperties: [],
          writeProperties: writes,
          credentialProperties: [],
        },
      ],
    },
  ],
})

const installed = (
  definitions: InstalledResource['definitions'],
  properties: InstalledResource['properties'],
): InstalledResource => ({
  locator: LOCATOR,
  title: 'Core',
  version: '1',
  verifiedAt: '2026-01-31T08:00:00.000Z',
  definitions,
  properties,
})

const namesOf = (form: ReturnType<typeof installForm>) =>
  form.flatMap(({ fields }) => fields.map(({ property }) => property))
const neededIn = (form: ReturnType<typeof installForm>) =>
  form.flatMap(({ fields }) => fields.filter(({ isNeeded }) => isNeeded).map(({ property }) => property))

test('an install asks for everything except what the runtime and plugins write', () => {
  const form = installForm(manifest({ a: text, written: text, instanceRefProperty: text }, ['written']), null)
  assert.deepEqual(namesOf(form), ['a'])
})

test('a property is needed if it is required and has no default', () => {
  const required = { ...text, required: true }
  const form = installForm(manifest({ a: required, b: { ...required, default: 'x' }, c: text }), null)
  assert.deepEqual(neededIn(form), ['a'])
})

test('a copied value is not needed, visible or not; without it, the property stays needed', () => {
  const required = manifest({ a: { ...text, required: true } })
  assert.deepEqual(neededIn(installForm(required, 'unknown')), [])
  const hidden = { '@type': 'Data', isSensitive: true, isSet: true } as const
  assert.deepEqual(neededIn(installForm(required, new Map([[at('a'), hidden]]))), [])
  assert.deepEqual(neededIn(installForm(required, new Map())), ['a'])
})

const NONE = new Set<string>()

test('an upgrade asks for properties that are new, redefined, or needed and without a value', () => {
  const target = manifest({
    same: text,
    other: { ...text, schema: { type: 'string', maxLength: 3 } },
    came: text,
    late: { ...text, required: true },
  })
  const form = upgradeForm(
    target,
    [
      installed(
        { same: text, other: text, late: { ...text, required: true } },
        { same: { '@type': 'Data', value: 'x' }, other: { '@type': 'Data', value: 'long' } },
      ),
    ],
    NONE,
  )
  assert.deepEqual(
    form.flatMap(({ fields }) => fields.map(({ property, mark, isNeeded }) => [property, mark, isNeeded])),
    [
      ['came', 'new', false],
      ['late', null, true],
      ['other', 'changed', false],
    ],
  )
})

test('a current value is kept, but a sensitive value never becomes visible', () => {
  const secret = { ...text, isSensitive: true, required: true }
  const set = { '@type': 'Data', isSensitive: true, isSet: true } as const
  const from = [installed({ a: secret }, { a: set })]
  assert.deepEqual(upgradeForm(manifest({ a: secret }), from, NONE), [])
  assert.deepEqual(neededIn(upgradeForm(manifest({ a: { ...text, required: true } }), from, NONE)), ['a'])
})

test('a displayed field stays when a colleague sets its value meanwhile', () => {
  const required = { ...text, required: true }
  const target = manifest({ late: required })
  const before = upgradeForm(target, [installed({ late: required }, {})], NONE)
  assert.deepEqual(neededIn(before), ['late'])
  const set = [installed({ late: required }, { late: { '@type': 'Data', value: 'theirs' } })]
  assert.deepEqual(upgradeForm(target, set, NONE), [])
  const after = upgradeForm(target, set, new Set([at('late')]))
  assert.deepEqual(
    after.flatMap(({ fields }) =>
      fields.map(({ property, isNeeded, fallback }) => [property, isNeeded, fallback]),
    ),
    [['late', false, { from: 'current', view: { '@type': 'Data', value: 'theirs' } }]],
  )
})

test('only edited properties are sent: a removed value as null, an incomplete one not at all', () => {
  const form = installForm(manifest({ a: text, b: text, c: text, d: text }), null)
  const value = { '@type': 'Data', value: 'x' } as const
  const edits = new Map<string, Edit>([
    [at('a'), { kind: 'set', value }],
    [at('b'), { kind: 'removed' }],
    [at('c'), { kind: 'unfinished', text: '{' }],
  ])
  assert.deepEqual(changesOf(form, edits), { [LOCATOR]: { a: value, b: null } })
})

test('an install in another scope leaves the addresses of the copied configuration behind, unless they are wanted', () => {
  const hostname = { kind: 'DATA', schema: { type: 'string', format: 'hostname' }, required: true } as const
  const web: Resource = {
    kind: 'GATEWAY',
    name: 'web',
    title: 'Web',
    properties: { domain: hostname, theme: { ...text, default: 'plain' } },
  }
  const bundle = manifest({ callback: { ...text, default: 'none' }, name: text })
  const both: Manifest = { ...bundle, resources: [...bundle.resources, web] }
  const domain = fieldId('test/crm/GATEWAY/web', 'domain')
  const from = { environmentKey: 'staging', applicationRuntimeId: 'eu', workspaceId: 1 }
  const value = (of: string) => ({ '@type': 'Data' as const, value: of })
  const copied = new Map([
    [domain, value('crm.staging.example')],
    [at('callback'), value('https://crm.staging.example/back')],
    [at('name'), value('Acme')],
  ])
  const bound = leftBehind(both, copied, from)
  assert.deepEqual(
    bound.map(({ property, bound: why }) => [property, why]),
    [
      ['callback', 'address'],
      ['domain', 'domain'],
    ],
  )
  const held = new Set(bound.map(({ id }) => id))
  const form = installForm(both, copied, held)
  assert.deepEqual(neededIn(form), ['domain'])
  // named, because the runtime would copy them
  assert.deepEqual(changesOf(form, new Map()), {
    [LOCATOR]: { callback: value('none') },
    'test/crm/GATEWAY/web': { domain: null },
  })
  assert.deepEqual(changesOf(installForm(both, copied, new Set()), new Map()), {})
  // a configuration that only the runtime knows
  assert.deepEqual(
    leftBehind(both, 'unknown', from).map(({ property }) => property),
    ['domain'],
  )
})
