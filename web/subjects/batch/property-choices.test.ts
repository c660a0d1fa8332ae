import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Manifest } from '../manifest/writers.ts'
import { installForm, type FormResource } from '../operation-form/property-form.ts'
import { bundlesOf, type BatchTarget } from './bundle-targets.ts'
import { changesByTarget, configureInput, propertyChoices } from './property-choices.ts'

const text = { kind: 'DATA', schema: { type: 'string' } } as const
const number = { kind: 'DATA', schema: { type: 'integer' } } as const

const target = (
  id: string,
  bundleId: string,
  version: string | null,
  environmentKey = 'test',
): BatchTarget => ({
  id,
  installation: {
    environmentKey,
    applicationRuntimeId: 'eu',
    workspaceId: 1,
    bundle: { environmentKey, bundleId },
  },
  title: bundleId,
  version,
})

type Properties = Manifest['resources'][number]['properties']

/** The choices of targets whose versions have these properties, each of the resource `MODULE/core`. */
const choicesOf = (targets: readonly BatchTarget[], versions: Record<string, Properties | null>) =>
  propertyChoices(
    bundlesOf(targets),
    ({ environmentKey, bundleId }, version): readonly FormResource[] | null => {
      const properties = versions[`${bundleId} ${version}`]
      return properties == null
        ? null
        : installForm(
            {
              bundle: { environmentKey, bundleId },
              version,
              title: bundleId,
              resources: [{ kind: 'MODULE', name: 'core', title: 'Core', moduleId: 'core', properties }],
              plugins: [],
            },
            null,
          )
    },
  )

const seen = (choices: ReturnType<typeof choicesOf>) =>
  choices.map(({ field, places, known, bundles }) => [
    field.property,
    Object.fromEntries(places),
    known,
    bundles,
  ])

test('bundles share a property of one kind and name, but not a secret with a text, or a number with a text', () => {
  const choices = choicesOf([target('a', 'crm', '1'), target('b', 'billing', '1')], {
    'crm 1': { port: number, token: text, size: number },
    'billing 1': { port: number, token: { ...text, isSensitive: true }, size: text },
  })
  const [crm, billing] = ['test/crm/MODULE/core', 'test/billing/MODULE/core']
  assert.deepEqual(seen(choices), [
    ['port', { a: crm, b: billing }, 2, ['crm', 'billing']],
    ['size', { a: crm }, 1, ['crm']],
    ['token', { a: crm }, 1, ['crm']],
    ['size', { b: billing }, 1, ['billing']],
    ['token', { b: billing }, 1, ['billing']],
  ])
})

test('a property that versions of a bundle define differently is one choice, in the targets that have it', () => {
  const targets = [
    target('a', 'crm', '1'),
    target('b', 'crm', '1'),
    target('c', 'crm', '2'),
    target('d', 'crm', null),
    target('e', 'crm', '3'),
    target('f', 'crm', '2', 'staging'),
  ]
  const locator = 'test/crm/MODULE/core'
  const choices = choicesOf(targets, { 'crm 1': { port: number }, 'crm 2': { port: text }, 'crm 3': {} })
  // the plan says what is wrong with the target of unknown properties
  assert.deepEqual(seen(choices), [
    ['port', { a: locator, b: locator, c: locator, d: locator, f: 'staging/crm/MODULE/core' }, 4, ['crm']],
  ])
})

test('the request names the values once if they are the same everywhere, and leaves out targets without one', () => {
  const targets = [target('a', 'crm', '1'), target('b', 'crm', '1'), target('c', 'crm', '2')]
  const [port] = choicesOf(targets, { 'crm 1': { port: number }, 'crm 2': {} })
  if (port === undefined) throw new Error('There is no property')
  const value = { '@type': 'Data', value: 25 } as const
  const edits = new Map([[port.field.id, { kind: 'set' as const, value }]])
  const changes = { 'test/crm/MODULE/core': { port: value } }
  assert.deepEqual(configureInput(targets, changesByTarget([{ choice: port, isEach: false }], edits)), {
    targets: ['a', 'b'],
    input: { changes },
  })
  assert.equal(configureInput(targets, changesByTarget([{ choice: port, isEach: true }], edits)), null)
})
