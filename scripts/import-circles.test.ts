import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { betweenFolders, circularImports, readImports } from './import-circles.ts'
import { projectFiles, root } from './process.ts'

test('circles through import(), types and exports of exports are found', () => {
  const circles = (sources: Record<string, string>) => circularImports(readImports(sources))
  assert.deepEqual(
    circles({
      'ui/Filter.tsx': `export const load = () => import('./forms.ts')`,
      'ui/forms.ts': `export const parts = async () => [(await import('./List.tsx')).List]`,
      'ui/List.tsx': `import { load } from './Filter.tsx'\nimport { Icon } from './Icon.tsx'\nexport const List = [load, Icon]`,
      'ui/Icon.tsx': `export const Icon = <svg />`,
      'main.ts': `import './ui/Filter.tsx'`,
    }),
    ['ui/Filter.tsx → ui/forms.ts', 'ui/List.tsx → ui/Filter.tsx', 'ui/forms.ts → ui/List.tsx'],
  )
  assert.deepEqual(
    circles({
      'a.ts': `import type { B } from './b.ts'\nexport type A = B`,
      'b.ts': `export { type A as B } from './a.ts'`,
    }),
    ['a.ts → b.ts', 'b.ts → a.ts'],
  )
  assert.deepEqual(circles({ 'a.ts': `export * from './b.ts'`, 'b.ts': `import('./c.ts')`, 'c.ts': '' }), [])
})

test('folders that know each other are found, also if their files do not', () => {
  const imports = readImports({
    'editor/state.ts': `import { focus } from '../form/focus.ts'\nexport const state = focus`,
    'form/focus.ts': `export const focus = 1`,
    'form/Form.tsx': `export const state = () => import('../editor/state.ts')`,
    'Page.tsx': `import { Form } from './form/Form.tsx'`,
  })
  assert.deepEqual(circularImports(imports), [])
  assert.deepEqual(circularImports(betweenFolders(imports)), ['editor → form', 'form → editor'])
})

const web = Object.fromEntries(
  projectFiles('web')
    .filter((path) => /\.tsx?$/.test(path))
    // test kits import what they like
    .filter((path) => !/\.test\.tsx?$|\/testing(-browser)?\.ts$|^web\/testing\//.test(path))
    .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
)

test('no file and no folder of the console imports itself over others', () => {
  const imports = readImports(web)
  assert.deepEqual(circularImports(imports), [])
  // the texts of a language are files of `web/i18n`, only many
  const folderOf = (file: string) => dirname(file).replace(/^web\/i18n\/.*/, 'web/i18n')
  assert.deepEqual(circularImports(betweenFolders(imports, folderOf)), [])
})
