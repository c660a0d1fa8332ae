import assert from 'node:assert/strict'
import { it } from 'node:test'
import { toSqlite } from './sql.ts'

it('repeats the value of a parameter that occurs twice, and keeps the order of the others', () => {
  assert.deepEqual(toSqlite('UPDATE t SET a = $2, b = $1 WHERE c = $2 AND d = $11'), {
    text: 'UPDATE t SET a = ?, b = ? WHERE c = ? AND d = ?',
    order: [2, 1, 2, 11],
  })
})
