import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

/** Modules that the console imports at run time: they must not pull zod into the browser. */
const FOR_BROWSERS = [
  '../json-schema/json-schema.ts',
  '../json-schema/json.ts',
  'business-value.ts',
  'data.ts',
  'error-codes.ts',
  'limits.ts',
  'locator.ts',
  'protected-property.ts',
  'vocabulary.ts',
]

async function importsOf(file: URL): Promise<string[]> {
  const source = await readFile(file, 'utf8')
  const statements = source.matchAll(/^(?:import|export)\s+(?!type\b)[^'"]*?from\s+'([^']+)'/gm)
  return [...statements].flatMap(([, name]) => (name === undefined ? [] : [name]))
}

for (const name of FOR_BROWSERS)
  test(`${name} does not import zod`, async () => {
    const seen = new Set<string>()
    const open = [new URL(name, import.meta.url)]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next.href)) continue
      seen.add(next.href)
      for (const imported of await importsOf(next)) {
        if (imported.startsWith('.')) open.push(new URL(imported, next))
        else assert.equal(imported, '@cfworker/json-schema', `${next.href} imports ${imported}`)
      }
    }
  })

test('the check detects imports', async () => {
  assert.ok((await importsOf(new URL('keys.ts', import.meta.url))).includes('zod'))
})
