import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftsIn } from './stored-drafts.ts'

const edit = '{"format":2,"edit":{"kind":"removed"},"base":null,"version":1}'

test('the drafts of a person are counted by scope, oldest first, without sensitive ones', () => {
  const items = {
    'bundle-console.draft/ling/production/eu/2 a/b/MODULE/c name': edit,
    'bundle-console.draft/ling/production/eu/1 a/b/MODULE/c name': edit,
    'bundle-console.draft/ling/production/eu/1 a/b/MODULE/c port': edit,
    'bundle-console.draft/ling/production/eu/1 a/b/MODULE/c secret': '{"format":2,"withheld":true}',
    'bundle-console.draft/mira/production/eu/3 a/b/MODULE/c name': edit,
    'bundle-console.draft-began/ling/production/eu/1': '1000',
    'bundle-console.draft-began/ling/production/eu/2': '2000',
    'bundle-console.theme': 'dark',
  }
  const scope = { environmentKey: 'production', applicationRuntimeId: 'eu' }
  assert.deepEqual(draftsIn(items, 'ling'), [
    { scope: { ...scope, workspaceId: 1 }, edits: 2, since: 1000 },
    { scope: { ...scope, workspaceId: 2 }, edits: 1, since: 2000 },
  ])
  assert.deepEqual(draftsIn(items, 'nobody'), [])
})
