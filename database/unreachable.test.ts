import assert from 'node:assert/strict'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import pg from 'pg'

import { PG } from './transaction.ts'
import { isUnavailable, rejectsWrites, whyUnavailable, whyUnreachable } from './unreachable.ts'

const coded = (code: string, message = 'driver words with canary') =>
  Object.assign(new Error(message), { code })

test('distinguishes temporary causes from those that someone must fix, never in the words of the driver', () => {
  const transient = [
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEDOUT',
    'ECONNRESET',
    '57P01',
    '57P03',
    '53300',
    '53100',
    '53200',
  ]
  const permanent = [
    '28P01',
    '28000',
    '3D000',
    '42501',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'X',
  ]
  for (const code of transient) assert.equal(whyUnreachable(coded(code)).isTransient, true, code)
  for (const code of permanent) assert.equal(whyUnreachable(coded(code)).isTransient, false, code)
  for (const code of [...transient, ...permanent])
    assert.ok(!whyUnreachable(coded(code)).reason.includes('canary'), code)
  assert.equal(whyUnreachable(new Error('timeout expired')).isTransient, true)
  assert.match(whyUnreachable(coded('CERT_NOT_YET_VALID')).reason, /not valid yet/)
  assert.match(whyUnreachable(coded('SELF_SIGNED_CERT_IN_CHAIN')).reason, /not signed by an authority/)
  assert.deepEqual(whyUnreachable('what?'), { reason: 'the connection failed', isTransient: false })
})

test('a missing socket means an unreachable database, a missing file does not', async () => {
  const missing = join(tmpdir(), 'no-such-place', '.s.PGSQL.5432')
  const errorOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)
  const noSocket = await errorOf(once(connect(missing), 'connect'))
  const noFile = await errorOf(readFile(missing))
  assert.deepEqual(whyUnreachable(noSocket), { reason: 'there is no socket', isTransient: true })
  assert.ok(isUnavailable(noSocket))
  assert.deepEqual(whyUnreachable(noFile), { reason: 'the connection failed', isTransient: false })
  assert.ok(!isUnavailable(noFile))
})

test('an unknown server error is reported with its reason', () => {
  const refusal = Object.assign(new pg.DatabaseError('unsupported startup parameter: options', 50, 'error'), {
    code: '08P01',
  })
  assert.match(whyUnreachable(refusal).reason, /unsupported startup parameter: options/)
})

test('a statement that failed because the database is down or busy is not a wrong statement', () => {
  for (const code of [PG.adminShutdown, PG.crashShutdown, PG.readOnly, PG.lockNotAvailable, '08006', '53300'])
    assert.ok(isUnavailable(coded(code)), code)
  for (const words of [
    'timeout exceeded when trying to connect',
    'Connection terminated unexpectedly',
    'Client has encountered a connection error and is not queryable',
    'Query read timeout',
  ])
    assert.ok(isUnavailable(new Error(words)), words)
  for (const code of [PG.uniqueViolation, PG.undefinedTable, '']) assert.ok(!isUnavailable(coded(code)), code)
  assert.ok(!isUnavailable('Connection terminated'))
})

test('an exhausted resource is reported with what to do, never in the words of the server', () => {
  const unavailable = (code: string) => whyUnavailable(coded(code, 'could not extend file "base/5/canary"'))
  assert.deepEqual(unavailable(PG.diskFull), {
    reason: 'it has no space left',
    shown: platformMessage('databaseFull'),
  })
  for (const code of [
    PG.insufficientResources,
    PG.outOfMemory,
    PG.tooManyConnections,
    PG.readOnly,
    PG.diskFull,
  ]) {
    const { reason = '', shown } = unavailable(code) ?? {}
    assert.match(shown?.message ?? '', /^The database .*[Rr]etry/, code)
    assert.doesNotMatch(reason + JSON.stringify(shown), /canary|base\//)
  }
  for (const code of [PG.adminShutdown, '08006', 'ECONNREFUSED'])
    assert.deepEqual(unavailable(code)?.shown, platformMessage('databaseAway'))
  assert.deepEqual(whyUnavailable(new Error('Connection terminated unexpectedly')), unavailable('08006'))
  // a pool has no free connection, and nobody knows why
  assert.equal(whyUnavailable(new Error('timeout exceeded when trying to connect'))?.shown, undefined)
  assert.equal(unavailable(PG.deadlockDetected)?.reason, 'it is busy')
  assert.equal(unavailable(PG.uniqueViolation), null)
  assert.deepEqual(
    [PG.diskFull, PG.readOnly, PG.adminShutdown, PG.outOfMemory].map((code) => rejectsWrites(coded(code))),
    [true, true, false, false],
  )
})
