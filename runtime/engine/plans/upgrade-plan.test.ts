import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { configurePlan } from './configure-plan.ts'
import { comparisonsInUpgrade, uniteAuthorizations, upgradePlan } from './upgrade-plan.ts'
import type { LedgerRow } from '../../model/ledger.ts'
import { boundWork } from '../../../lab/verification/bound-work.ts'

const names = ['a', 'b', 'c', 'instanceRefProperty']
const locators = ['dev/x/MODULE/one', 'dev/x/MODULE/two']

const definition: fc.Arbitrary<PropertyDefinition> = fc
  .record({ isSensitive: fc.boolean(), required: fc.boolean(), hasDefault: fc.boolean() })
  .map(({ isSensitive, required, hasDefault }) => ({
    kind: 'DATA',
    schema: true,
    isSensitive,
    required,
    ...(hasDefault && !isSensitive && { default: 'the default' }),
  }))
const definitions = fc.dictionary(fc.constantFrom(...names), definition, { noNullPrototype: true })
const version = fc.dictionary(fc.constantFrom(...locators), definitions, { noNullPrototype: true })
const given = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.option(fc.constant<TypedValue>(wrapData('given'))),
  { noNullPrototype: true },
)

/** Each defined property has its own value. Secret values begin with "secret". */
function installed(earlier: Record<string, Record<string, PropertyDefinition>>) {
  const values = new Map(
    Object.entries(earlier).map(([locator, defined]) => [
      locator,
      new Map<string, TypedValue>(
        Object.entries(defined).map(([name, { isSensitive }]) => [
          name,
          isSensitive === true ? wrapSensitive(`secret ${name}`) : wrapData(`plain ${name}`),
        ]),
      ),
    ]),
  )
  const ledger = Object.entries(earlier).map(([locator, defined]): LedgerRow => ({
    bundle_install_id: 'id',
    locator,
    scope_id: 1,
    kind: 'MODULE',
    title: locator,
    module_id: locator,
    version: '1',
    definitions: defined,
    written_by: {},
    properties: Object.fromEntries(values.get(locator) ?? []),
    verified_at: '2026-01-31T08:00:00.000Z',
  }))
  return { bundleInstallId: 'id', ledger, current: values, putAside: new Map(), plugins: [] }
}

const targetOf = (later: Record<string, Record<string, PropertyDefinition>>) => ({
  version: '2',
  plugins: [],
  resources: Object.entries(later).map(([locator, defined]) => ({
    locator,
    kind: 'MODULE' as const,
    title: locator,
    moduleId: locator,
    definitions: defined,
    writtenBy: {},
  })),
})

const cases = fc.record({ earlier: version, later: version, given: given })
const planned = (one: {
  earlier: Parameters<typeof installed>[0]
  later: Parameters<typeof targetOf>[0]
  given: Parameters<typeof upgradePlan>[2][string]
}) =>
  upgradePlan(
    installed(one.earlier),
    targetOf(one.later),
    Object.fromEntries(Object.keys(one.later).map((locator) => [locator, one.given])),
    false,
  )

describe('the plan of an upgrade', () => {
  it('contains every resource of both versions once, and no other', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { resources } = planned(one).plan
        assert.deepEqual(
          resources.map(({ locator }) => locator).toSorted(),
          [...new Set([...Object.keys(one.earlier), ...Object.keys(one.later)])].toSorted(),
        )
        for (const { locator, action, currentVersion, targetVersion } of resources) {
          const [before, after] = [Object.hasOwn(one.earlier, locator), Object.hasOwn(one.later, locator)]
          const expected =
            before && after ? ['UPGRADE', '1', '2'] : after ? ['INSTALL', null, '2'] : ['DETACH', '1', '1']
          assert.deepEqual([action, currentVersion, targetVersion], expected)
        }
      }),
    )
  })

  it('never makes a secret visible', () => {
    fc.assert(
      fc.property(cases, (one) => {
        for (const { properties, definitions } of planned(one).plan.resources)
          for (const [name, value] of Object.entries(properties))
            if (name !== 'instanceRefProperty' && definitions[name]?.isSensitive !== true)
              assert.ok(!JSON.stringify(value).includes('secret'))
      }),
    )
  })

  it('has a value for every required property, or reports it as missing', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { plan, missing } = planned(one)
        const isMissing = (locator: string, name: string) =>
          missing.some((problem) => problem.locator === locator && problem.property === name)
        for (const { locator, action, properties, definitions } of plan.resources)
          for (const [name, { required }] of Object.entries(definitions))
            if (action !== 'DETACH' && required === true)
              assert.equal(Object.hasOwn(properties, name), !isMissing(locator, name))
      }),
    )
  })

  it('keeps the protected property, and sets it where it is new', () => {
    fc.assert(
      fc.property(cases, (one) => {
        for (const { locator, action, properties, definitions } of planned(one).plan.resources) {
          if (action === 'DETACH' || !Object.hasOwn(definitions, 'instanceRefProperty')) continue
          const stood = installed(one.earlier).current.get(locator)?.get('instanceRefProperty')
          const value = properties['instanceRefProperty']
          assert.equal(
            value?.['@type'] === 'Data' && value.value,
            stood?.['@type'] === 'Data' ? stood.value : 'id',
          )
        }
      }),
    )
  })
})

describe('the plugins of an upgrade', () => {
  const authorization = (pluginId: string, order: number, resources: string[]) => ({
    pluginId,
    protocolVersion: '6.0.0' as const,
    order,
    failurePolicy: 'FAIL_FAST' as const,
    configuration: { schemaVersion: '1', values: {} },
    resources: resources.map((resource) => ({
      resource,
      readProperties: [],
      writeProperties: [],
      credentialProperties: [],
    })),
  })

  it('are those of both versions; the target wins, and removed resources keep their plugins', () => {
    const [kept, removed] = ['dev/x/MODULE/kept', 'dev/x/MODULE/removed']
    const united = uniteAuthorizations(
      [authorization('both', 2, [kept])],
      [authorization('both', 9, [kept, removed]), authorization('gone', 1, [kept])],
      new Set([removed]),
    )
    assert.deepEqual(united, [authorization('gone', 1, [kept]), authorization('both', 2, [kept, removed])])
  })
})

describe('the plans of a bundle with thousands of resources', () => {
  it('find each resource at once (J01)', () => {
    const locatorOf = (at: number) => `dev/x/GATEWAY/gateway-${String(at).padStart(5, '0')}`
    const gateways = (value: (at: number) => string) =>
      Array.from({ length: 10_000 }, (_, at): [string, { a: PropertyDefinition }] => [
        value(at),
        { a: { kind: 'DATA', schema: true } },
      ])
    const earlier = installed(Object.fromEntries(gateways(locatorOf)))
    // copies in another order: texts that are not the same in memory, and not found at the same place
    const later = targetOf(Object.fromEntries(gateways((at) => locatorOf(9_999 - at))))
    const values = Object.fromEntries(
      later.resources.map(({ locator }) => [locator, { a: wrapData('given') }]),
    )
    const endWork = boundWork(3)
    assert.deepEqual(comparisonsInUpgrade(earlier, later, values), [])
    const { plan } = upgradePlan(earlier, later, values, true)
    assert.equal(plan.changes.length, 10_000)
    const saved = configurePlan({
      ledger: earlier.ledger,
      current: earlier.current,
      changes: plan.changes,
      plugins: [],
    })
    assert.ok(saved.resources.every(({ action }) => action === 'CONFIGURE'))
    endWork()
  })
})
