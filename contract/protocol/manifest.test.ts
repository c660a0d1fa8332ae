import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accepts, but, refuses } from './testing.ts'
import { AuthorManifest, checkManifest } from './manifest.ts'
import { withoutShared } from './shared-definitions.ts'
import { boundWork } from '../../lab/verification/bound-work.ts'

const text = { kind: 'DATA', schema: { type: 'string' } }
const module = {
  kind: 'MODULE',
  name: 'invoices',
  title: 'Invoices',
  moduleId: 'mod-1',
  properties: {
    size: { kind: 'DATA', schema: { type: 'integer' }, default: 3 },
    tenant: text,
    mail: { kind: 'SERVICE_REFERENCE' },
  },
  events: [{ method: 'invoicePaid', schema: { type: 'object' } }],
}
const timer = { kind: 'TIMER', name: 'nightly', title: 'Nightly run', properties: { at: text } }
const authorization = {
  object: { type: 'MODULE', moduleId: 'mod-1' },
  readProperties: ['size', 'mail'],
  writeProperties: ['tenant'],
  credentialProperties: ['mail'],
}
const plugin = {
  pluginId: 'billing-plugin',
  order: 1,
  failurePolicy: 'FAIL_FAST',
  configuration: { schemaVersion: '1', values: {} },
  resources: [authorization],
}
const manifest = {
  bundle: { environmentKey: 'catalog', bundleId: 'billing' },
  version: '1.2.0',
  title: 'Billing',
  resources: [module, timer],
  plugins: [plugin],
}

const details = (changes: object) => checkManifest(AuthorManifest.parse({ ...manifest, ...changes }))
const withModule = (changes: Record<string, unknown>) => details({ resources: [but(module, changes), timer] })
const withProperty = (property: string, definition: object) =>
  withModule({ properties: { ...module.properties, [property]: definition } })
const withAuthorization = (changes: object) =>
  details({ plugins: [{ ...plugin, resources: [{ ...authorization, ...changes }] }] })

const locator = 'catalog/billing/MODULE/invoices'

/** Asserts exactly one problem, at this path. */
function refusedAt(found: ReturnType<typeof checkManifest>, path: string, words: RegExp): void {
  assert.deepEqual(
    found.map((detail) => detail.path),
    [path],
    JSON.stringify(found),
  )
  assert.equal(found[0]?.errorCode, 'MANIFEST_INVALID')
  assert.match(found[0]?.message ?? '', words)
}

test('the shape of a manifest', () => {
  accepts(AuthorManifest, manifest, but(manifest, { description: 'x', resources: [], plugins: [] }))
  for (const field of Object.keys(manifest))
    refuses(AuthorManifest, field, /./, but(manifest, { [field]: undefined }))
  refuses(AuthorManifest, '', /state/, but(manifest, { state: 'draft' }))
  refuses(AuthorManifest, 'title', /empty/, but(manifest, { title: '' }))
  refuses(AuthorManifest, 'title', /at most 256/, but(manifest, { title: 'x'.repeat(257) }))
  refuses(AuthorManifest, 'description', /at most 4096/, but(manifest, { description: 'x'.repeat(4097) }))
  refuses(
    AuthorManifest,
    'resources.0.kind',
    /MODULE, GATEWAY, AGENT, TIMER/,
    but(manifest, { resources: [but(module, { kind: 'JOB' })] }),
  )
  refuses(
    AuthorManifest,
    'resources.0.name',
    /1 to 128/,
    but(manifest, { resources: [but(module, { name: 'a/b' })] }),
  )
  refuses(
    AuthorManifest,
    'plugins.0.resources.0',
    /resource/,
    but(manifest, { plugins: [{ ...plugin, resources: [{ ...authorization, resource: locator }] }] }),
  )
})

test('a consistent manifest', () => {
  assert.deepEqual(details({}), [])
  assert.deepEqual(details({ resources: [], plugins: [] }), [])
})

test('a resource is listed once by kind and name', () => {
  assert.deepEqual(details({ resources: [module, timer, { ...timer, kind: 'AGENT' }] }), [])
  refusedAt(details({ resources: [module, timer, timer] }), '/resources/2/name', /same kind and name/)
})

test('each of very many properties that a Module does not have is a problem', () => {
  const readProperties = Array.from({ length: 200_000 }, () => 'absent')
  assert.equal(withAuthorization({ readProperties }).length, 200_000)
})

test('the order of a plugin is one that its calls can be stored with', () => {
  for (const order of [2_147_483_647, -2_147_483_648])
    assert.deepEqual(details({ plugins: [{ ...plugin, order }] }), [])
  for (const order of [2_147_483_648, -3e9])
    refusedAt(details({ plugins: [{ ...plugin, order }] }), '/plugins/0/order', /from -2147483648/)
})

test('a MODULE has its own moduleId', () => {
  refusedAt(
    details({ resources: [module, but({ ...module, name: 'other' }, { moduleId: undefined })] }),
    '/resources/1/moduleId',
    /must have a moduleId/,
  )
  refusedAt(
    details({ resources: [module, { ...module, name: 'other' }] }),
    '/resources/1/moduleId',
    /already that of MODULE\/invoices/,
  )
})

for (const kind of ['GATEWAY', 'AGENT', 'TIMER'])
  test(`a ${kind} has neither moduleId nor events`, () => {
    refusedAt(
      details({ resources: [module, { ...timer, kind, moduleId: 'mod-2' }] }),
      '/resources/1/moduleId',
      /Only a MODULE/,
    )
    refusedAt(
      details({ resources: [module, { ...timer, kind, events: [] }] }),
      '/resources/1/events',
      /Only a MODULE/,
    )
  })

test('an event is declared once, with a schema that can be used', () => {
  const event = { method: 'a', schema: true }
  refusedAt(withModule({ events: [event, event] }), '/resources/0/events/1/method', /more than once/)
  refusedAt(
    withModule({ events: [{ method: 'a', schema: { type: 'text' } }] }),
    '/resources/0/events/0/schema/type',
    /one/,
  )
})

test('a schema must be usable, and the default must satisfy it', () => {
  refusedAt(
    withProperty('size', { kind: 'DATA', schema: { $ref: 'https://example.com/schema' } }),
    '/resources/0/properties/size/schema/$ref',
    /of this document/,
  )
  refusedAt(
    withProperty('size', { kind: 'DATA', schema: { properties: { n: { maximum: 3 } } }, default: { n: 4 } }),
    '/resources/0/properties/size/default/n',
    /at most 3/,
  )
  assert.deepEqual(
    withProperty('size', { kind: 'DATA', schema: { type: ['string', 'null'] }, default: null }),
    [],
  )
  const [detail] = withProperty('size', { kind: 'DATA', schema: { minimum: 'x' } })
  assert.deepEqual([detail?.locator, detail?.property], [locator, 'size'])
})

test('a sensitive property has no default', () => {
  refusedAt(
    withProperty('size', { ...text, isSensitive: true, default: 'x' }),
    '/resources/0/properties/size/default',
    /must not have a default/,
  )
  assert.deepEqual(withProperty('size', { ...text, isSensitive: true }), [])
})

test('an authorization names a MODULE of the manifest, once per plugin', () => {
  const elsewhere = { object: { type: 'MODULE', moduleId: 'mod-9' } }
  refusedAt(withAuthorization(elsewhere), '/plugins/0/resources/0/object/moduleId', /No MODULE/)
  const found = details({
    plugins: [{ ...plugin, resources: [authorization, { ...authorization, writeProperties: [] }] }],
  })
  refusedAt(found, '/plugins/0/resources/1/object/moduleId', /another entry/)
})

test('the properties of an authorization must exist', () => {
  for (const list of ['readProperties', 'writeProperties', 'credentialProperties'])
    for (const property of ['missing', 'toString'])
      refusedAt(
        withAuthorization({ [list]: [property] }),
        `/plugins/0/resources/0/${list}/0`,
        /has no property/,
      )
})

test('a plugin writes only DATA', () => {
  refusedAt(
    withAuthorization({ writeProperties: ['tenant', 'mail'] }),
    '/plugins/0/resources/0/writeProperties/1',
    /not DATA/,
  )
})

test('credentialProperties are only references', () => {
  for (const kind of ['SERVICE_REFERENCE', 'SERVICE_REFERENCE_MAP', 'SERVICE_REFERENCE_LIST'])
    assert.deepEqual(withProperty('mail', { kind }), [])
  refusedAt(
    withAuthorization({ credentialProperties: ['size'] }),
    '/plugins/0/resources/0/credentialProperties/0',
    /is DATA/,
  )
})

test('instanceRefProperty may exist on a MODULE and be read, and is never written', () => {
  const properties = { ...module.properties, instanceRefProperty: text }
  const reads = { ...authorization, readProperties: ['instanceRefProperty'] }
  const writes = { ...authorization, writeProperties: ['instanceRefProperty'] }
  const both = (entry: object, held: object = properties) =>
    details({ resources: [{ ...module, properties: held }], plugins: [{ ...plugin, resources: [entry] }] })
  assert.deepEqual(both(reads), [])
  refusedAt(both(writes), '/plugins/0/resources/0/writeProperties/0', /protected/)
  refusedAt(both(writes, module.properties), '/plugins/0/resources/0/writeProperties/0', /protected/)
  refusedAt(
    withProperty('instanceRefProperty', { kind: 'SERVICE_REFERENCE' }),
    '/resources/0/properties/instanceRefProperty',
    /DATA property of a MODULE/,
  )
  refusedAt(
    details({ resources: [module, { ...timer, properties: { instanceRefProperty: text } }] }),
    '/resources/1/properties/instanceRefProperty',
    /DATA property of a MODULE/,
  )
})

test('no two plugins may write the same property', () => {
  const second = { ...plugin, pluginId: 'second' }
  refusedAt(
    details({ plugins: [plugin, second] }),
    '/plugins/1/resources/0/writeProperties/0',
    /already be written by plugin billing-plugin/,
  )
  const other = { ...module, name: 'other', moduleId: 'mod-2' }
  const onOther = { ...authorization, object: { type: 'MODULE', moduleId: 'mod-2' } }
  assert.deepEqual(
    details({ resources: [module, other], plugins: [plugin, { ...second, resources: [onOther] }] }),
    [],
  )
  assert.deepEqual(
    details({
      plugins: [plugin, { ...second, resources: [{ ...authorization, writeProperties: ['size'] }] }],
    }),
    [],
  )
})

test('a plugin is listed once', () => {
  refusedAt(
    details({ plugins: [plugin, { ...plugin, resources: [] }] }),
    '/plugins/1/pluginId',
    /listed twice/,
  )
})

test('all problems are reported together', () => {
  const found = details({
    resources: [but(module, { moduleId: undefined }), { ...timer, events: [] }],
    plugins: [plugin, plugin],
  })
  assert.deepEqual(
    found.map((detail) => detail.path),
    [
      '/resources/0/moduleId',
      '/resources/1/events',
      '/plugins/0/resources/0/object/moduleId',
      '/plugins/1/pluginId',
      '/plugins/1/resources/0/object/moduleId',
    ],
  )
})

const shared = {
  port: { type: 'integer', minimum: 1 },
  listener: { properties: { port: { $ref: '#/$defs/port' } } },
}

test('properties refer to the shared definitions of a manifest, and get those that they need', () => {
  const published = AuthorManifest.parse({
    ...manifest,
    $defs: { ...shared, unused: { type: 'string' } },
    resources: [
      but(module, {
        properties: {
          ...module.properties,
          web: {
            kind: 'DATA',
            schema: { $ref: '#/$defs/listener', $defs: { own: true } },
            default: { port: 80 },
          },
        },
      }),
      timer,
    ],
  })
  assert.deepEqual(checkManifest(published), [])
  const whole = withoutShared(published)
  assert.equal('$defs' in whole, false)
  assert.deepEqual(whole.resources[0]?.properties['web']?.schema, {
    $ref: '#/$defs/listener',
    $defs: { listener: shared.listener, port: shared.port, own: true },
  })
  assert.deepEqual(whole.resources[0]?.properties['tenant'], text)
  const bare = AuthorManifest.parse(manifest)
  assert.equal(withoutShared(bare), bare)
})

test('a default is checked with the shared definitions', () => {
  const web = { kind: 'DATA', schema: { $ref: '#/$defs/listener' }, default: { port: 0 } }
  refusedAt(
    details({
      $defs: shared,
      resources: [but(module, { properties: { ...module.properties, web } }), timer],
    }),
    '/resources/0/properties/web/default/port',
    /at least 1/,
  )
})

test('what is wrong in a shared definition is told once, at its place', () => {
  const web = { kind: 'DATA', schema: { $ref: '#/$defs/port' } }
  const resources = [but(module, { properties: { ...module.properties, web, other: web } }), timer]
  refusedAt(details({ $defs: { port: { type: 'int' } }, resources }), '/$defs/port/type', /Must be one/)
  const missing = details({ $defs: { another: true }, resources })
  assert.deepEqual(
    missing.map(({ path }) => path),
    ['/resources/0/properties/web/schema/$ref', '/resources/0/properties/other/schema/$ref'],
  )
})

test('a name of its own that is shared too is refused, and so are definitions that grow too large', () => {
  const own = { kind: 'DATA', schema: { $ref: '#/$defs/port', $defs: { port: true } } }
  refusedAt(
    details({
      $defs: shared,
      resources: [but(module, { properties: { ...module.properties, own } }), timer],
    }),
    '/resources/0/properties/own/schema/$defs/port',
    /already the name of a shared definition/,
  )
  const large = { description: 'x'.repeat(100_000) }
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      `p${index}`,
      { kind: 'DATA', schema: { $ref: '#/$defs/large' } },
    ]),
  )
  refusedAt(
    details({
      $defs: { large },
      resources: [but(module, { properties: { ...module.properties, ...many } }), timer],
    }),
    '/$defs',
    /at most 2097152 characters are allowed/,
  )
})

test('definitions that grow too large are refused before they are read for every property', () => {
  const large = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [
      `d${index}`,
      { properties: { next: true, size: { maximum: index } } },
    ]),
  )
  const properties = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [
      `p${index}`,
      { kind: 'DATA', schema: { $ref: '#/$defs/all' } },
    ]),
  )
  const all = { anyOf: Object.keys(large).map((name) => ({ $ref: `#/$defs/${name}` })) }
  const endWork = boundWork(5)
  refusedAt(
    details({ $defs: { ...large, all }, resources: [but(module, { properties }), timer] }),
    '/$defs',
    /are too large together/,
  )
  endWork()
})

test('more patterns than can be analyzed in a short time are refused before they are (C07)', () => {
  const definition = (pattern: string) => ({ kind: 'DATA', schema: { items: { pattern } } })
  const slow = (index: number): string => `^${'[^a]b*'.repeat(90)}${index}$`
  const many = Array.from({ length: 1400 }, (_, index) => [`p${index}`, definition(slow(index))])
  const endWork = boundWork(1)
  refusedAt(
    details({ resources: [but(module, { properties: Object.fromEntries(many) }), timer] }),
    '',
    /different patterns .* more than 16384 characters/,
  )
  endWork()
  const same = Array.from({ length: 1400 }, (_, index) => [`p${index}`, definition('^[a-z]+(-[a-z0-9]+)*$')])
  const found = details({ resources: [but(module, { properties: Object.fromEntries(same) }), timer] })
  assert.ok(found.every(({ message }) => !message.includes('different patterns')))
})

test('default values are checked for a short time together, however slow their schemas are (C07)', () => {
  const doubled = Array.from({ length: 25 }, (_, index) => {
    const next = { $ref: `#/$defs/d${index + 1}` }
    return [`d${index}`, { allOf: [next, next] }]
  })
  const $defs = { ...Object.fromEntries(doubled), d25: { type: 'integer' } }
  const properties = Array.from({ length: 80 }, (_, index) => [
    `p${index}`,
    { kind: 'DATA', schema: { $ref: '#/$defs/d0' }, default: index },
  ])
  const endWork = boundWork(10)
  const found = details({
    $defs,
    resources: [
      but(module, { properties: { ...module.properties, ...Object.fromEntries(properties) } }),
      timer,
    ],
  })
  assert.equal(found.length, 80)
  assert.deepEqual(
    found.map(({ parameters }) => parameters?.['reason']),
    // the first ones by themselves, the others because of them
    found.map((_, index) => (index < 9 ? 'valueTooLarge' : 'valuesTooCostly')),
  )
  endWork()
})

test('very many resources and events are compared once (C07)', () => {
  const resources = Array.from({ length: 15_000 }, (_, index) => ({ ...timer, name: `t${index}` }))
  const events = Array.from({ length: 30_000 }, (_, index) => ({ method: `m${index}`, schema: true }))
  const endWork = boundWork(2)
  assert.deepEqual(details({ resources: [but(module, { events }), ...resources] }), [])
  endWork()
})

test('the refusal of a pattern of names says which one, and where', () => {
  const found = withProperty('nodes', {
    kind: 'DATA',
    schema: { patternProperties: { '.*': true, '[a-z]+$': true } },
  })
  refusedAt(
    found,
    '/resources/0/properties/nodes/schema/patternProperties',
    /^The pattern \[a-z\]\+\$: begin it with \^/,
  )
  assert.equal(found[0]?.property, 'nodes')
})
