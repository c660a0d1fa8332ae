import assert from 'node:assert/strict'
import { it } from 'node:test'
import { translator } from '../../i18n/testing.ts'
import { publishSchema } from './publish-form.ts'

const schema = publishSchema(() => true, await translator('en'))
const messages = (manifest: string) =>
  schema.safeParse({ manifest }).error?.issues.map(({ message }) => message) ?? []

it('names the place where a manifest stops being JSON', () => {
  const manifest = '{\n  "version": "1.0.0",\n  "title" "Newsletter"\n}'
  assert.deepEqual(messages(manifest), ['Invalid JSON at line 3, column 11'])
})

it('accepts a manifest that names its bundle and version', () => {
  const bundle = { environmentKey: 'production', bundleId: 'newsletter' }
  assert.deepEqual(messages(JSON.stringify({ bundle, version: '1.0.0' })), [])
})
