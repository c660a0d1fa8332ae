import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftsIn, operationDraftsIn } from './stored-drafts.ts'

const edit = '{"format":2,"edit":{"kind":"removed"},"base":null,"version":1}'

test('the drafts of a person are counted by scope and edited request, oldest first, without sensitive ones', () => {
  const items = {
    'bundle-console.draft/ling/production/eu/2 a/b/MODULE/c name': edit,
    'bundle-console.draft/ling/production/eu/1 a/b/MODULE/c name': edit,
    'bundle-console.draft/ling/production/eu/1 a/b/MODULE/c port': edit,
    'bundle-console.draft/ling/production/eu/1 a/b/MODULE/c secret': '{"format":2,"withheld":true}',
    'bundle-console.draft/mira/production/eu/3 a/b/MODULE/c name': edit,
    'bundle-console.draft/ling/production/eu/1/c%2F1 a/b/MODULE/c port': edit,
    'bundle-console.draft-began/ling/production/eu/1/c%2F1': '3000',
    'bundle-console.draft-asked/ling/production/eu/1/c%2F1': '{}',
    'bundle-console.draft-began/ling/production/eu/1': '1000',
    'bundle-console.draft-began/ling/production/eu/2': '2000',
    'bundle-console.theme': 'dark',
  }
  const scope = { environmentKey: 'production', applicationRuntimeId: 'eu' }
  assert.deepEqual(draftsIn(items, 'ling'), [
    { scope: { ...scope, workspaceId: 1 }, change: null, edits: 2, since: 1000 },
    { scope: { ...scope, workspaceId: 2 }, change: null, edits: 1, since: 2000 },
    { scope: { ...scope, workspaceId: 1 }, change: 'c/1', edits: 1, since: 3000 },
  ])
  assert.deepEqual(draftsIn(items, 'nobody'), [])
})

test('the drafts of installs and upgrades of a person are listed, oldest first, without what is not understood', () => {
  const edits = { a: { kind: 'removed' }, b: { kind: 'removed' } }
  const search = { bundleEnvironmentKey: 'production', bundleId: 'crm', version: '1.0.0', workspaceId: 7 }
  const upgrade = {
    kind: 'UPGRADE',
    bundleInstallId: '01920000-0000-7000-8000-000000000001',
    version: '2.0.0',
  }
  const items = {
    'bundle-console.operation-draft/ling/upgrade/1': JSON.stringify({
      place: upgrade,
      title: 'CRM',
      edits: {},
      since: 2,
    }),
    'bundle-console.operation-draft/ling/install/production/crm': JSON.stringify({
      place: { kind: 'INSTALL', search: { ...search, workspaceId: '7' } },
      title: 'CRM',
      edits,
      since: 1,
    }),
    'bundle-console.operation-draft/mira/upgrade/1': JSON.stringify({
      place: upgrade,
      title: 'CRM',
      edits,
      since: 1,
    }),
    'bundle-console.operation-draft/ling/upgrade/2':
      '{"place":{"kind":"UPGRADE"},"title":"CRM","edits":{},"since":1}',
    'bundle-console.operation-draft/ling/upgrade/3': 'nonsense',
  }
  assert.deepEqual(operationDraftsIn(items, 'ling'), [
    { place: { kind: 'INSTALL', search }, title: 'CRM', edits: 2, since: 1 },
    { place: upgrade, title: 'CRM', edits: 0, since: 2 },
  ])
})
