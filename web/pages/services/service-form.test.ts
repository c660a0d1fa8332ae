import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translator } from '../../i18n/testing.ts'
import { methodsOf, serviceBodyOf, serviceFormOf, serviceSchema } from './service-form.ts'

const schema = serviceSchema(await translator('en'))
const service = { ...serviceFormOf(null), serviceId: 'mail', title: 'Mail', url: 'https://mail.example.com' }

const errorsOf = (form: typeof service) =>
  Object.fromEntries(
    (schema.safeParse(form).error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]),
  )

test('methods are read one per line, without duplicates', () => {
  assert.deepEqual(methodsOf(' capture \n\nrefund, capture'), ['capture', 'refund'])
})

test('a method is one path segment', () => {
  assert.deepEqual(errorsOf({ ...service, methods: 'a.b\nc-d' }), {})
  assert.match(errorsOf({ ...service, methods: 'ok\na/b' })['methods'] ?? '', /^“a\/b” is not a valid method/)
  assert.match(errorsOf({ ...service, methods: '.hidden' })['methods'] ?? '', /“.hidden”/)
})

test('every invalid field is reported at once', () => {
  const wrong = { ...serviceFormOf(null), methods: 'a/b' }
  assert.deepEqual(Object.keys(errorsOf(wrong)).sort(), ['methods', 'serviceId', 'title', 'url'])
})

test('with an owner, which declares the methods, the content of the hidden field does not matter', () => {
  const owned = {
    ...service,
    methods: 'good\na/b',
    owner: { bundleInstallId: 'i', locator: 'test/crm/MODULE/core' },
  }
  assert.deepEqual(errorsOf(owned), {})
  assert.deepEqual(serviceBodyOf(owned).methods, ['good'])
  assert.match(
    errorsOf({ ...owned, owner: { bundleInstallId: 'i', locator: '' } })['owner'] ?? '',
    /^Choose the Module/,
  )
})
