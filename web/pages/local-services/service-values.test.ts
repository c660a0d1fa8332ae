import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Translate } from '../../i18n/use-text.ts'
import { checkValues, problemLine } from './service-values.ts'

const t = ((key: string) => key) as unknown as Translate

test('values are an object keyed by property names, and the protected name is rejected', () => {
  assert.deepEqual(checkValues({ a: 1, 'b-c': null }, t), [])
  assert.equal(checkValues([1], t)[0]?.path, '')
  assert.deepEqual(
    checkValues({ instanceRefProperty: 'x', '9/': 1, ok: true }, t).map(({ path }) => path),
    ['/instanceRefProperty', '/9~1'],
  )
  const lines = checkValues({ instanceRefProperty: 'x' }, t).map((problem) => problemLine(problem, t))
  assert.ok(lines.length === 1 && !lines.join('').includes('instanceRefProperty'), lines.join(''))
})
