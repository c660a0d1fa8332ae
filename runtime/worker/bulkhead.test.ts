import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { afterContact, CLOSED } from '../engine/steps/breaker.ts'
import type { Breaker, Contact } from '../engine/steps/breaker.ts'
import { Bulkhead, Permits } from './bulkhead.ts'

const after = (...contacts: Contact[]): Breaker => contacts.reduce(afterContact, CLOSED)
const unanswered = (count: number): Contact[] => Array.from({ length: count }, () => 'unanswered' as const)

suite('the bulkhead for a plugin that does not answer', () => {
  test('opens the breaker after five unanswered calls in a row, and closes it after a response', () => {
    assert.equal(after(...unanswered(4)).isOpen, false)
    assert.equal(after(...unanswered(5)).isOpen, true)
    assert.equal(after(...unanswered(9)).isOpen, true)
    assert.deepEqual(after(...unanswered(9), 'answered'), CLOSED)
    assert.equal(after(...unanswered(4), 'answered', ...unanswered(4)).isOpen, false)
  })

  test('ignores calls that the runtime itself aborted', () => {
    assert.equal(after(...unanswered(4), 'nothing').isOpen, false)
    assert.equal(after(...unanswered(5), 'nothing').isOpen, true)
  })

  test('allows one call at a time until the plugin answers, and does not limit other plugins', () => {
    const bulkhead = new Bulkhead(3)
    const changes = unanswered(6).map((contact) => bulkhead.note('hanging', contact))
    assert.deepEqual(changes, [null, null, null, null, 'opened', null])
    assert.deepEqual(bulkhead.troubled(), ['hanging'])
    assert.deepEqual(busy(bulkhead), [])
    assert.equal(bulkhead.acquireAll(['hanging']), true)
    assert.deepEqual(busy(bulkhead), ['hanging'])
    assert.equal(bulkhead.acquireAll(['hanging']), false)
    assert.equal(bulkhead.acquireAll(['other']), true)
    assert.equal(bulkhead.acquireAll(['other']), true)

    assert.equal(bulkhead.note('hanging', 'answered'), 'closed')
    assert.deepEqual([bulkhead.troubled(), busy(bulkhead)], [[], []])
    assert.equal(bulkhead.acquireAll(['hanging']), true)
  })
})

suite('the permits of an operation', () => {
  test('are kept between two calls of an operation', () => {
    const bulkhead = new Bulkhead(1)
    const [first, second] = [new Permits(bulkhead), new Permits(bulkhead)]
    assert.equal(first.keep(['a']), true)
    assert.equal(second.keep(['a']), false)
    first.begin()
    first.end('a')
    assert.equal(second.keep(['a']), false)
    assert.equal(first.keep(['a']), true)
    first.leave()
    assert.equal(second.keep(['a']), true)
  })

  test('may be kept again, as when a transaction is retried', () => {
    const bulkhead = new Bulkhead(1)
    const permits = new Permits(bulkhead)
    assert.equal(permits.keep(['a', 'b']), true)
    assert.equal(permits.keep(['a', 'b']), true)
    assert.equal(permits.keep(['b', 'c']), true)
    assert.deepEqual(busy(bulkhead), ['b', 'c'])
    permits.leave()
    assert.deepEqual(busy(bulkhead), [])
  })
})

test('permits are acquired at all plugins or at none', () => {
  const bulkhead = new Bulkhead(1)
  assert.equal(bulkhead.acquireAll(['a']), true)
  assert.equal(bulkhead.acquireAll(['b', 'a']), false)
  assert.deepEqual(busy(bulkhead), ['a'])
  bulkhead.releaseAll(['a'])
  assert.equal(bulkhead.acquireAll(['b', 'a']), true)
  bulkhead.releaseAll(['a', 'b'])
  assert.deepEqual(busy(bulkhead), [])
})

/** The plugins without free capacity. */
function busy(bulkhead: Bulkhead): string[] {
  return bulkhead
    .room()
    .rooms.filter(({ room }) => room <= 0)
    .map(({ pluginId }) => pluginId)
}
