import assert from 'node:assert/strict'
import { it } from 'node:test'
import { translator } from '../../i18n/testing.ts'
import { publishSchema } from './publish-form.ts'

const schema = publishSchema(() => true, await translator('en'))
const messages = (manifest: string) =>
  schema.safeParse({ manifest }).error?.issues.map(({ message }) => message) ?? []

it('names the place where a manifest stops being JSON', () => {
  const manifest = '{\n  "version": "1.0.0",\n  "title" "Newsletter"\n}'
  assert.deepEqual(messages(manifest), ['Line 3, column 11: A colon is expected after the key.'])
})

it('refuses what would be published as something else', () => {
  const schema = (text: string) =>
    messages(`{"version": "1.0.0",\n"resources": [{"properties": {"size": {"schema": ${text}}}}]}`)
  for (const number of ['9223372036854775807', '9007199254740992.5', '18446744073709551616'])
    assert.match(schema(`{"maximum": ${number}}`).join(), /^Line 2, column 62: This number cannot be kept/)
  assert.match(schema('{"title": "A", "title": "B"}').join(), /^Line 2, column 65: The same key/)
})

it('accepts a manifest that names its bundle and version', () => {
  const bundle = { environmentKey: 'production', bundleId: 'newsletter' }
  assert.deepEqual(messages(JSON.stringify({ bundle, version: '1.0.0' })), [])
})
