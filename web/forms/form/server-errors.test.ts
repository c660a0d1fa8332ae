import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOfRequest, pathInField, placeDetails, type Detail } from './server-errors.ts'

const detail = (rest: Partial<Detail>): Detail => ({ errorCode: 'REQUEST_INVALID', message: 'No', ...rest })

test('a detail belongs to the field of its member, as do details of nested values', () => {
  const fieldOf = fieldOfRequest(['title', 'consumers', 'pluginId'])
  assert.equal(fieldOf(detail({ path: 'body.title' })), 'title')
  assert.equal(fieldOf(detail({ path: 'body.consumers.0.workspaceId' })), 'consumers')
  assert.equal(fieldOf(detail({ path: 'path.pluginId' })), 'pluginId')
})

test('a detail without a field in the form belongs to none', () => {
  const fieldOf = fieldOfRequest(['title'])
  for (const path of ['body', 'body.titles', 'body.enabled', 'header.title', 'title', undefined])
    assert.equal(fieldOf(detail({ ...(path !== undefined && { path }) })), null, path)
})

test('details are grouped by field, and none is lost', () => {
  const details = [
    detail({ path: 'body.title', message: 'one' }),
    detail({ path: 'body.enabled', message: 'two' }),
    detail({ path: 'body.title', message: 'three' }),
  ]
  const { placed, unplaced } = placeDetails(details, fieldOfRequest(['title', 'url']))
  assert.deepEqual([...placed], [['title', [details[0], details[2]]]])
  assert.deepEqual(unplaced, [details[1]])
})

test('the path inside a field is a JSON pointer into the property value, or below a member', () => {
  assert.equal(pathInField(detail({ path: 'body.title' })), '')
  assert.equal(pathInField(detail({ path: 'body.consumers.0.workspaceId' })), '/0/workspaceId')
  assert.equal(
    pathInField(detail({ locator: 'a/b/MODULE/c', property: 'retention', path: '/contactsDays' })),
    '/contactsDays',
  )
  assert.equal(pathInField(detail({ locator: 'a/b/MODULE/c', property: 'retention' })), '')
})
