import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import pg from 'pg'

import { PG } from './transaction.ts'
import { isUnavailable, takesNoWrites, whyUnavailable, whyUnreachable } from './unreachable.ts'

const coded = (code: string, message = 'driver words with canary') =>
  Object.assign(new Error(message), { code })

test('what passes by itself is told from what somebody has to change, never in the words of the driver', () => {
  const passing = [
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
  const lasting = [
    '28P01',
    '28000',
    '3D000',
    '42501',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'CERT_HAS_EXPIRED',
    'X',
  ]
  for (const code of passing) assert.equal(whyUnreachable(coded(code)).mayPass, true, code)
  for (const code of lasting) assert.equal(whyUnreachable(coded(code)).mayPass, false, code)
  for (const code of [...passing, ...lasting])
    assert.ok(!whyUnreachable(coded(code)).reason.includes('canary'), code)
  assert.equal(whyUnreachable(new Error('timeout expired')).mayPass, true)
  assert.match(whyUnreachable(coded('SELF_SIGNED_CERT_IN_CHAIN')).reason, /not signed by an authority/)
  assert.deepEqual(whyUnreachable('what?'), { reason: 'the connection failed', mayPass: false })
})

test('a socket that is missing is the database, a file that is missing is not', async () => {
  const missing = join(tmpdir(), 'no-such-place', '.s.PGSQL.5432')
  const errorOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)
  const noSocket = await errorOf(once(connect(missing), 'connect'))
  const noFile = await errorOf(readFile(missing))
  assert.deepEqual(whyUnreachable(noSocket), { reason: 'there is no socket', mayPass: true })
  assert.ok(isUnavailable(noSocket))
  assert.deepEqual(whyUnreachable(noFile), { reason: 'the connection failed', mayPass: false })
  assert.ok(!isUnavailable(noFile))
})

test("a refusal of the server that we do not know is told with the server's reason", () => {
  const refusal = Object.assign(new pg.DatabaseError('unsupported startup parameter: options', 50, 'error'), {
    code: '08P01',
  })
  assert.match(whyUnreachable(refusal).reason, /unsupported startup parameter: options/)
})

test('a statement that failed as the database is away or busy is not one that is wrong', () => {
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

test('what has run out is told with what to do about it, and never in the words of the server', () => {
  const told = (code: string) => whyUnavailable(coded(code, 'could not extend file "base/5/canary"'))
  assert.deepEqual(told(PG.diskFull), {
    reason: 'it has no space left',
    message: 'The database has no space left. Free space, then retry.',
  })
  for (const code of [
    PG.insufficientResources,
    PG.outOfMemory,
    PG.tooManyConnections,
    PG.readOnly,
    PG.diskFull,
  ]) {
    const { reason = '', message = '' } = told(code) ?? {}
    assert.match(message, /^The database .*[Rr]etry/, code)
    assert.doesNotMatch(reason + message, /canary|base\//)
  }
  assert.equal(told(PG.adminShutdown)?.message, undefined)
  assert.equal(told(PG.deadlockDetected)?.reason, 'it is busy')
  assert.equal(told(PG.uniqueViolation), null)
  assert.deepEqual(
    [PG.diskFull, PG.readOnly, PG.adminShutdown, PG.outOfMemory].map((code) => takesNoWrites(coded(code))),
    [true, true, false, false],
  )
})
