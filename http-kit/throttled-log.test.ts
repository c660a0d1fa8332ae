import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { throttledLog } from './log.ts'
import type { Log, LogFields } from './log.ts'

const outage = new Error('connect ECONNREFUSED')

suite('the log of a worker while the database is down', () => {
  let now = 0
  let written: { message: string; fields: LogFields; error?: unknown }[] = []
  let log: Log

  beforeEach(() => {
    now = 0
    written = []
    const write = (message: string, fields: LogFields = {}, error?: unknown) =>
      void written.push({ message, fields, ...(error !== undefined && { error }) })
    const inner: Log = {
      debug: write,
      info: write,
      warn: write,
      error: write,
      child: () => inner,
      addSecret: () => {},
      removeSecret: () => {},
    }
    log = throttledLog(inner, { monotonic: () => now }, (error) => (error === outage ? 'it is down' : null))
  })

  test('writes a line every ten seconds, with the number of suppressed lines', () => {
    for (; now < 20_001; now += 1_000) {
      log.error('not claimed', {}, outage)
      log.warn('not advanced', { operationId: 'a' }, outage)
    }
    const reason = 'it is down'
    assert.deepEqual(written, [
      { message: 'not claimed', fields: { reason } },
      { message: 'not claimed', fields: { reason, suppressed: 19 } },
      { message: 'not claimed', fields: { reason, suppressed: 19 } },
    ])
  })

  test('suppresses nothing else', () => {
    for (let times = 0; times < 3; times++) {
      log.error('damaged', { operationId: 'a' }, new Error('a plan is damaged'))
      log.warn('failing', { pluginId: 'b' })
      log.info('answers again')
    }
    assert.equal(written.length, 9)
  })
})
