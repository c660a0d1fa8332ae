import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readEnvelope } from '../../contract/protocol/envelope.ts'
import { LifecycleResponse } from '../../contract/protocol/lifecycle.ts'
import { installPackage } from './testing/install-package.ts'
import { lifecycleRequest } from './testing/lifecycle-request.ts'

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
const { folder, files, remove } = installPackage()
after(remove)

const PROGRAM = `
import { applied, definePlugin, sqliteStore } from '@bundle-console/plugin-sdk'

const plugin = definePlugin({
  pluginId: 'tenant-provisioner',
  verify: false,
  store: sqliteStore('./plugin.sqlite'),
  handle: { BEFORE_RESOURCES: (call) => call.conclude(() => applied()) },
})
const headers = { 'content-type': 'application/json' }
const body = process.env['LIFECYCLE_REQUEST'] ?? ''
const response = await plugin(new Request('http://plugin.invalid/', { method: 'POST', headers, body }))
console.log(await response.text())
`

test('the package contains JavaScript and types, and nothing else', () => {
  const other = files.filter(
    (file) => !/^dist\/(?:contract|packages\/plugin-sdk\/src)\/.*\.(?:js|d\.ts)$/.test(file),
  )
  assert.deepEqual(other.sort(), ['LICENSE', 'README.md', 'package.json'])
})

test('an installed package answers a lifecycle call', () => {
  writeFileSync(join(folder, 'plugin.js'), PROGRAM)
  const output = execFileSync(process.execPath, ['plugin.js'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, LIFECYCLE_REQUEST: JSON.stringify(lifecycleRequest()) },
  })
  const envelope = readEnvelope(JSON.parse(output))
  assert.ok(envelope.kind === 'success')
  assert.equal(LifecycleResponse.parse(envelope.data).outcome, 'APPLIED')
})

test('the types of an installed package compile, their declarations included', () => {
  symlinkSync(join(modules, '@types'), join(folder, 'node_modules', '@types'))
  const wrong =
    "// @ts-expect-error a pluginId is a string\nexport const wrong: Parameters<typeof definePlugin>[0]['pluginId'] = 7\n"
  writeFileSync(join(folder, 'plugin.ts'), PROGRAM + wrong)
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']
  execFileSync(process.execPath, [join(modules, 'typescript/bin/tsc'), ...options, 'plugin.ts'], {
    cwd: folder,
    stdio: 'inherit',
  })
})
