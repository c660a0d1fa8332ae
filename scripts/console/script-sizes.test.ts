import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkPageScripts, COMPILE_HINT } from './script-sizes.ts'

test('a page that loads too much is named, in its largest language; and a script whose compile hint is not first', () => {
  const output = mkdtempSync(join(tmpdir(), 'bundle-console-sizes-'))
  mkdirSync(join(output, 'assets'))
  mkdirSync(join(output, '.vite'))
  const write = (name: string, kB: number, code = COMPILE_HINT) => {
    writeFileSync(join(output, 'assets', `${name}.js`), code)
    writeFileSync(join(output, 'assets', `${name}.js.br`), Buffer.alloc(kB * 1000))
  }
  write('start', 150)
  write('lists', 60)
  write('texts-en', 40)
  write('texts-zh', 50)
  writeFileSync(join(output, 'index.html'), '<script type="module" src="/assets/start.js"></script>')
  const pages = {
    '/installations': {
      en: ['/assets/lists.js', '/assets/texts-en.js'],
      zh: ['/assets/lists.js', '/assets/texts-zh.js'],
    },
    '/freezes': {
      en: ['/assets/lists.js', '/assets/texts-en.js'],
      zh: ['/assets/lists.js', '/assets/texts-zh.js'],
    },
  }
  writeFileSync(join(output, '.vite', 'page-scripts.json'), JSON.stringify(pages))
  assert.throws(() => checkPageScripts(output), {
    message:
      'Pages load too much (scripts/console/script-sizes.ts):\n/installations loads 260.0 kB of scripts; its limit is 250 kB',
  })
  write('lists', 50)
  assert.doesNotThrow(() => checkPageScripts(output))
  write('lists', 50, `const first = 1\n${COMPILE_HINT}`)
  assert.throws(() => checkPageScripts(output), {
    message: 'Scripts that do not begin with the compile hint: /assets/lists.js',
  })
  rmSync(output, { recursive: true })
})
