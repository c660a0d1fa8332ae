import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { accepts, but, locator, refuses } from './testing.ts'
import { Detail, ErrorCode, FailureData, failureEnvelope, readEnvelope, successEnvelope } from './envelope.ts'
import { RUNTIME_ERROR_CODES } from './error-codes.ts'

const failure = { message: 'Could not be done', retryable: false }

test('errorCode is 0 or upper-case words, 1 to 128 characters', () => {
  accepts(ErrorCode, '0', 'A', 'A1', 'A_1', 'PROPERTY_INVALID', 'X'.repeat(128), ...RUNTIME_ERROR_CODES)
  refuses(
    ErrorCode,
    '',
    /upper-case/,
    '',
    '00',
    '1',
    '1A',
    '_A',
    'A_',
    'A__B',
    'a',
    'Abc',
    'A-B',
    'A B',
    'A\n',
    ' A',
    'É',
  )
  refuses(ErrorCode, '', /at most 128/, 'X'.repeat(129))
  refuses(ErrorCode, '', /string/, 0, null)
})

test('message has 1 to 512 characters, counted in code points', () => {
  const withMessage = (message: unknown) => but(failure, { message })
  accepts(FailureData, withMessage('x'), withMessage('x'.repeat(512)), withMessage('😀'.repeat(512)))
  refuses(FailureData, 'message', /at most 512/, withMessage('x'.repeat(513)), withMessage('😀'.repeat(513)))
  refuses(FailureData, 'message', /empty/, withMessage(''))
  refuses(FailureData, 'message', /string/, withMessage(undefined), withMessage(1))
})

test('retryable is required', () => {
  refuses(
    FailureData,
    'retryable',
    /true or false/,
    but(failure, { retryable: undefined }),
    but(failure, { retryable: 'true' }),
  )
})

test('errorPath has at least one item, none with white space or control characters', () => {
  const path = (...errorPath: unknown[]) => ({ ...failure, errorPath })
  accepts(FailureData, failure, path('bundle-runtime'), path('a', 'b', 'a'))
  refuses(FailureData, 'errorPath', /at least 1/, path())
  for (const item of ['', ' ', 'a b', 'a\tb', 'a\n', 'a\u00a0', 'a\u0000', 'a\u007f', 'a\u0085', 'a\u2028'])
    refuses(FailureData, 'errorPath.1', /white space or control/, path('a', item))
})

test('unknown properties of failure data and details of another shape are ignored', () => {
  assert.deepEqual(readEnvelope({ errorCode: 'A', data: { ...failure, hint: 'x', details: 'all of it' } }), {
    kind: 'failure',
    errorCode: 'A',
    failure,
  })
})

test('details locate each problem at its field', () => {
  const detail = {
    locator,
    property: 'size',
    path: '/0',
    errorCode: 'PROPERTY_INVALID',
    message: 'Must be a number',
  }
  accepts(Detail, detail, { errorCode: 'A', message: 'x' })
  refuses(Detail, 'locator', /joined by/, { ...detail, locator: 'x' })
  refuses(Detail, 'message', /./, { errorCode: 'A' })
  assert.deepEqual(readEnvelope(failureEnvelope('A', { ...failure, details: [detail] })), {
    kind: 'failure',
    errorCode: 'A',
    failure: { ...failure, details: [detail] },
  })
})

test('a success may have any data', () => {
  for (const data of [null, 0, '', false, [], {}, { message: 1 }])
    assert.deepEqual(readEnvelope({ errorCode: '0', data }), { kind: 'success', data })
})

test('a success envelope is read back as a success', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (data) => {
      const sent: unknown = JSON.parse(JSON.stringify(successEnvelope(data)))
      assert.deepEqual(readEnvelope(sent), {
        kind: 'success',
        data: JSON.parse(JSON.stringify(data)) as unknown,
      })
    }),
  )
})

test('produced envelopes contain the version', () => {
  assert.deepEqual(successEnvelope(1), { errorCode: '0', data: 1, contractVersion: '1.0.0' })
  assert.deepEqual(failureEnvelope('A', null), { errorCode: 'A', data: null, contractVersion: '1.0.0' })
})

test('an absent version means 1.0.0, any other is invalid', () => {
  assert.equal(readEnvelope({ errorCode: '0', data: 1 }).kind, 'success')
  assert.equal(readEnvelope({ errorCode: '0', data: 1, contractVersion: '1.0.0' }).kind, 'success')
  for (const contractVersion of ['1.0', '1.0.1', '6.0.0', '', null, 1])
    assert.deepEqual(readEnvelope({ errorCode: '0', data: 1, contractVersion }), {
      kind: 'invalid',
      problem: 'contractVersion: Must be 1.0.0 or absent',
    })
})

test('unknown top-level fields are ignored', () => {
  assert.deepEqual(readEnvelope({ errorCode: '0', data: 1, requestId: 'x' }), { kind: 'success', data: 1 })
})

test('a failure has null or failure data', () => {
  assert.deepEqual(readEnvelope({ errorCode: 'A', data: null }), {
    kind: 'failure',
    errorCode: 'A',
    failure: null,
  })
  for (const data of [{}, [], 'text', 0, false, { message: 'x' }, { message: '', retryable: true }])
    assert.equal(readEnvelope({ errorCode: 'A', data }).kind, 'invalid')
})

test('anything else is invalid, and the problem names the field', () => {
  const problems: [unknown, RegExp][] = [
    [undefined, /not an envelope/],
    [null, /not an envelope/],
    ['text', /not an envelope/],
    [[], /not an envelope/],
    [{}, /errorCode/],
    [{ errorCode: '0' }, /data/],
    [{ errorCode: 0, data: 1 }, /errorCode: Must be a string/],
    [{ data: 1 }, /errorCode/],
    [{ outcome: 'APPLIED', resources: {} }, /errorCode/],
    [{ errorCode: 'secret-word', data: null }, /errorCode: (?!.*secret-word)/],
    [
      { errorCode: 'A', data: { message: 'secret-word\u0000', retryable: 1 } },
      /data\.retryable: (?!.*secret-word)/,
    ],
  ]
  for (const [body, words] of problems) {
    const reading = readEnvelope(body)
    assert.ok(reading.kind === 'invalid', JSON.stringify(body))
    assert.match(reading.problem, words)
  }
})
