import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createEventBody, formatEvent } from './event-stream.ts'

const decoder = new TextDecoder()

describe('the body of an event stream', () => {
  it('delivers what was sent, then ends', async () => {
    const body = createEventBody({ maxUnreadBytes: 100 })
    body.send('one ')
    body.send('two')
    body.end()
    body.send('too late')
    assert.equal(await new Response(body.stream).text(), 'one two')
    assert.equal(body.ended.aborted, true)
  })

  it('ends when the reader has left too much unread', () => {
    const body = createEventBody({ maxUnreadBytes: 10 })
    body.send('x'.repeat(20))
    assert.equal(body.ended.aborted, false)
    body.send('x')
    assert.equal(body.ended.aborted, true)
  })

  it('ends when the reader leaves', async () => {
    const body = createEventBody({ maxUnreadBytes: 10 })
    await body.stream.cancel()
    assert.equal(body.ended.aborted, true)
    body.send('nobody')
    body.end()
  })

  it('waits for a slow reader, but not for one that has stopped', async () => {
    const body = createEventBody({ maxUnreadBytes: 10, stallMs: 50 })
    const reader = body.stream.getReader()
    body.send('x'.repeat(20))
    const drained = body.drained()
    assert.equal(decoder.decode((await reader.read()).value), 'x'.repeat(20))
    await drained
    assert.equal(body.ended.aborted, false)

    body.send('x'.repeat(20))
    await body.drained()
    assert.equal(body.ended.aborted, true)
  })

  it('stops waiting when it ends', async () => {
    const body = createEventBody({ maxUnreadBytes: 10 })
    body.send('x'.repeat(20))
    const drained = body.drained()
    body.end()
    await drained
    await body.drained()
  })

  it('formats an event as lines, and an id alone as the position to resume from', () => {
    assert.equal(formatEvent({ id: '7-1' }), 'id: 7-1\n\n')
    assert.equal(
      formatEvent({ id: '7-1', event: 'reset', data: '{}' }),
      'id: 7-1\nevent: reset\ndata: {}\n\n',
    )
  })
})
