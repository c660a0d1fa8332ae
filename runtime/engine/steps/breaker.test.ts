import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { afterContact, CLOSED } from './breaker.ts'
import type { Breaker, Contact } from './breaker.ts'
import { PluginSlots, Seats } from '../../worker/bulkhead.ts'

const after = (...contacts: Contact[]): Breaker => contacts.reduce(afterContact, CLOSED)
const unanswered = (count: number): Contact[] => Array.from({ length: count }, () => 'unanswered' as const)

suite('a plugin that does not answer', () => {
  test('is in trouble after five calls in a row, and no more once it answered', () => {
    assert.equal(after(...unanswered(4)).isOpen, false)
    assert.equal(after(...unanswered(5)).isOpen, true)
    assert.equal(after(...unanswered(9)).isOpen, true)
    assert.deepEqual(after(...unanswered(9), 'answered'), CLOSED)
    assert.equal(after(...unanswered(4), 'answered', ...unanswered(4)).isOpen, false)
  })

  test('is not judged by calls that the runtime itself broke off', () => {
    assert.equal(after(...unanswered(4), 'nothing').isOpen, false)
    assert.equal(after(...unanswered(5), 'nothing').isOpen, true)
  })

  test('has room for one call at a time until it answers, and the others are as free as before', () => {
    const slots = new PluginSlots(3)
    const changes = unanswered(6).map((contact) => slots.note('hanging', contact))
    assert.deepEqual(changes, [null, null, null, null, 'opened', null])
    assert.deepEqual(slots.troubled(), ['hanging'])
    assert.deepEqual(busy(slots), [])
    assert.equal(slots.takeAll(['hanging']), true)
    assert.deepEqual(busy(slots), ['hanging'])
    assert.equal(slots.takeAll(['hanging']), false)
    assert.equal(slots.takeAll(['other']), true)
    assert.equal(slots.takeAll(['other']), true)

    assert.equal(slots.note('hanging', 'answered'), 'closed')
    assert.deepEqual([slots.troubled(), busy(slots)], [[], []])
    assert.equal(slots.takeAll(['hanging']), true)
  })
})

suite('the slots of an operation', () => {
  test('stay its own between one call and the next', () => {
    const slots = new PluginSlots(1)
    const [first, second] = [new Seats(slots), new Seats(slots)]
    assert.equal(first.keep(['a']), true)
    assert.equal(second.keep(['a']), false)
    first.begin()
    first.end('a')
    assert.equal(second.keep(['a']), false)
    assert.equal(first.keep(['a']), true)
    first.leave()
    assert.equal(second.keep(['a']), true)
  })

  test('may be asked for again, as a transaction that is run again does', () => {
    const slots = new PluginSlots(1)
    const seats = new Seats(slots)
    assert.equal(seats.keep(['a', 'b']), true)
    assert.equal(seats.keep(['a', 'b']), true)
    assert.equal(seats.keep(['b', 'c']), true)
    assert.deepEqual(busy(slots), ['b', 'c'])
    seats.leave()
    assert.deepEqual(busy(slots), [])
  })
})

test('slots are taken for all plugins or for none', () => {
  const slots = new PluginSlots(1)
  assert.equal(slots.takeAll(['a']), true)
  assert.equal(slots.takeAll(['b', 'a']), false)
  assert.deepEqual(busy(slots), ['a'])
  slots.freeAll(['a'])
  assert.equal(slots.takeAll(['b', 'a']), true)
  slots.freeAll(['a', 'b'])
  assert.deepEqual(busy(slots), [])
})

/** The plugins without room. */
function busy(slots: PluginSlots): string[] {
  return slots
    .room()
    .rooms.filter(({ room }) => room <= 0)
    .map(({ pluginId }) => pluginId)
}
