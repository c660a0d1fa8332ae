import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

/** What the console uses at run time: it must not pull zod into the browser. */
const FOR_BROWSERS = [
  'business-value.ts',
  'data.ts',
  'error-codes.ts',
  'json-schema.ts',
  'json.ts',
  'limits.ts',
  'locator.ts',
  'mask.ts',
  'protected-name.ts',
  'vocabulary.ts',
]

async function importsOf(file: string): Promise<string[]> {
  const source = await readFile(new URL(file, import.meta.url), 'utf8')
  const statements = source.matchAll(/^(?:import|export)\s+(?!type\b)[^'"]*?from\s+'([^']+)'/gm)
  return [...statements].flatMap(([, name]) => (name === undefined ? [] : [name]))
}

for (const file of FOR_BROWSERS)
  test(`${file} brings no zod`, async () => {
    const seen = new Set<string>()
    const open = [file]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue
      seen.add(next)
      for (const name of await importsOf(next)) {
        if (name.startsWith('.//')) open.push(name.slice(2))
        else assert.equal(name, '@cfworker/json-schema', `${next} imports ${name}`)
      }
    }
  })

test('the check sees imports', async () => {
  assert.ok((await importsOf('keys.ts')).includes('zod'))
})
