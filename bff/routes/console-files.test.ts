import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Hono } from 'hono'
import { consoleFiles } from './console-files.ts'

const root = mkdtempSync(join(tmpdir(), 'console-files-'))
const folder = join(root, 'web')
mkdirSync(join(folder, 'assets'), { recursive: true })
mkdirSync(join(folder, '.vite'))
for (const [name, text] of [
  ['web/index.html', '<!doctype html>'],
  ['web/assets/main.js', 'export {}'],
  ['web/assets/main.js.map', 'SECRET'],
  ['web/assets/main.ts', 'SECRET'],
  ['web/.vite/manifest.json', 'SECRET'],
  ['web/assets/.env.json', 'SECRET'],
  ['outside.json', 'SECRET'],
] as const)
  writeFileSync(join(root, name), text)
after(() => rmSync(root, { recursive: true }))

const app = new Hono().use(consoleFiles(folder)).all('*', (c) => c.text('nothing', 404))

test('files are those of the build, and their names have a hash to be kept (C04, D03)', async () => {
  const script = await app.request('/assets/main.js')
  assert.equal(script.status, 200)
  assert.match(script.headers.get('cache-control') ?? '', /immutable/)
  assert.equal((await app.request('/assets/main.js', { method: 'POST' })).status, 404)
})

test('sources, maps, hidden files and what is outside of the build are not files (D03)', async () => {
  for (const path of [
    '/assets/main.js.map',
    '/assets/main.ts',
    '/.vite/manifest.json',
    '/assets/.env.json',
    '/outside.json',
    '/../outside.json',
    '/assets/../../outside.json',
    '/..%2foutside.json',
    '/%2e%2e/outside.json',
    '/assets/..%5c..%5coutside.json',
    '/assets/%2e%2e%2f%2e%2e%2foutside.json',
    '//outside.json',
    '/assets//main.js',
    '/assets/main.js/',
    '/ASSETS/main.js',
    '/assets/main.js%00',
    '/index.html',
    '/assets',
    '/.git/config',
    '/package.json',
    '/etc/passwd',
  ]) {
    const response = await app.request(path)
    assert.equal(response.status, 404, path)
    assert.doesNotMatch(await response.text(), /SECRET|doctype/, path)
  }
})
