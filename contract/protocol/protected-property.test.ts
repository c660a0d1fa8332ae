import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hideInDetail, hideProtectedName } from './protected-property.ts'

test('replaces the whole name only, not names that contain it', () => {
  assert.equal(
    hideProtectedName('core.instanceRefProperty: "instanceRefProperty" /instanceRefProperty/x'),
    'core.a protected property: "a protected property" /a protected property/x',
  )
  for (const text of [
    '',
    'my-instanceRefProperty',
    'instanceRefProperty2',
    'instanceRefProperty_x',
    'INSTANCEREFPROPERTY',
  ])
    assert.equal(hideProtectedName(text), text)
})

test('removes the name from a detail and cuts its path to the parent', () => {
  const of = (path: string, property?: string) =>
    hideInDetail({ path, ...(property !== undefined && { property }), errorCode: 'X', message: 'Is wrong' })
  const plain = { errorCode: 'X', message: 'Is wrong' }
  const name = 'instanceRefProperty'
  assert.deepEqual(of(`/resources/0/properties/${name}/schema`, name), {
    ...plain,
    path: '/resources/0/properties',
  })
  assert.deepEqual(of(`body.changes.a/b/MODULE/c.${name}`), { ...plain, path: 'body.changes.a/b/MODULE/c' })
  assert.deepEqual(of(name), { ...plain, path: '' })
  assert.deepEqual(of(`/${name}`, 'name'), { ...plain, path: '', property: 'name' })
  assert.deepEqual(of('/a/b', 'name'), { ...plain, path: '/a/b', property: 'name' })
})
