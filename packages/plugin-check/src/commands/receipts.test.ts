import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { OperationReceipt } from '../../../../contract/runtime-api/receipts.ts'
import type { JsonObject } from '../../../../contract/json-schema/json.ts'
import type { CompiledAuthorization } from '../../../../contract/protocol/authorization.ts'
import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import { MASK } from '../../../../contract/protocol/data.ts'
import type { OperationType } from '../../../../contract/protocol/vocabulary.ts'
import type { DefectName } from '../../testing/defects.ts'
import { freePort } from '../../../../database/free-port.ts'
import { digestOf } from '../receipt/digest.ts'
import { LOCATOR, OPERATION_ID, receiptOf, withDigest, WRITE_REFUSED } from '../../testing/receipt.ts'
import { startReferencePlugin } from '../../testing/reference-plugin.ts'
import { referenceProfile } from '../../testing/reference-profile.ts'
import { serve } from '../../testing/serve.ts'
import { runCommand } from './command-line.ts'

const SECRET = 'a secret plan'
const NAME_INVALID = { errorCode: 'NAME_INVALID', message: 'displayName must be a text', retryable: false }

/** A folder with a receipt and a profile, and a command line whose person answers with the secret. */
function setUp(t: TestContext, receipt: unknown) {
  const folder = mkdtempSync(join(tmpdir(), 'plugin-check-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'receipt.json')
  writeFileSync(file, JSON.stringify(receipt))
  const questions: string[] = []
  /** Runs replay against the reference plugin, in a separate process. */
  async function replay(defect: DefectName | null, args: readonly string[], answer: string | null = SECRET) {
    const port = await freePort()
    const plugin = await startReferencePlugin({ platform: `http://127.0.0.1:${port}`, file: null, defect })
    t.after(() => plugin.close())
    const profile = join(folder, 'profile.json')
    writeFileSync(profile, JSON.stringify(referenceProfile(plugin.url)))
    const output: string[] = []
    const terminal = {
      print: (text: string) => output.push(text),
      printError: (text: string) => output.push(text),
      ask: (question: string) => {
        questions.push(question)
        return Promise.resolve(answer)
      },
    }
    const address = ['--url', `${plugin.url}/lifecycle`, '--platform-port', String(port)]
    const code = await runCommand(
      ['replay', ...args, ...address, '--profile', profile, '--store', join(folder, 'store')],
      terminal,
    )
    return { code, output: output.join('\n') }
  }
  return { folder, file, questions, replay }
}

for (const operationType of ['INSTALL', 'UPGRADE'] satisfies OperationType[])
  test(`the failed ${operationType} of a receipt still fails, and is fixed with the plugin`, async (t) => {
    const receipt = receiptOf(operationType, 'spring')
    assert.ok(OperationReceipt.safeParse(receipt).success)
    const { folder, file, questions, replay } = setUp(t, receipt)

    const still = await replay('orders-versions', [file])
    assert.equal(still.code, 1, still.output)
    assert.match(still.output, new RegExp(`^STILL FAILS  ${operationType}\\.BEFORE_RESOURCES\\.`))
    assert.match(still.output, /in production: failure VERSION_INVALID with retryable false: A version must/)
    assert.match(still.output, /now: {11}failure VERSION_INVALID with retryable false: A version must/)
    assert.deepEqual(questions, [`Test value for plan of ${LOCATOR}, which the receipt masks: `])

    const kept = join(folder, 'store', 'receipts')
    const [name = ''] = readdirSync(kept)
    assert.match(readFileSync(join(kept, name), 'utf8'), new RegExp(SECRET))
    assert.equal(statSync(join(kept, name)).mode & 0o777, 0o600)

    const fixed = await replay(null, [])
    assert.equal(fixed.code, 0, fixed.output)
    assert.match(fixed.output, /^FIXED +(INSTALL|UPGRADE)\.BEFORE_RESOURCES\./)
    assert.match(fixed.output, /now: {11}outcome APPLIED/)
    assert.match(fixed.output, /^ {4}\/errorCode: "VERSION_INVALID" -> "0"$/m)
    assert.doesNotMatch(fixed.output, new RegExp(SECRET))
    assert.equal(questions.length, 1, 'asked once')
    assert.equal(readdirSync(kept).length, 1, 'kept as a case')
  })

test('a response that the runtime would refuse is no fix', async (t) => {
  const { file, replay } = setUp(t, receiptOf('INSTALL', '2.0.0', WRITE_REFUSED))
  const problems: [DefectName, RegExp][] = [
    ['bare-data', /the envelope is not valid: /],
    ['number-error-code', /the envelope is not valid: errorCode: /],
    ['status-201', /the HTTP status is 201 and must be 200/],
    ['foreign-resource', /a resource that is not in the request is written/],
    ['undeclared-write', /color of .* is written again/],
    ['writes-protected', /the protected property of .* is written/],
    ['writes-reference', /mail of .* is a reference, and is written/],
  ]
  for (const [defect, problem] of problems) {
    const { code, output } = await replay(defect, [file])
    assert.equal(code, 1, output)
    assert.match(output, /^STILL FAILS/)
    assert.match(output, problem)
  }
  const fixed = await replay(null, [file])
  assert.equal(fixed.code, 0)
  assert.match(fixed.output, /does not contain the response, so there is nothing to compare/)
  assert.doesNotMatch(fixed.output, /\/size|\/known|contentType/)

  const configured = setUp(t, receiptOf('CONFIGURE', '1.0.0', WRITE_REFUSED))
  const { code, output } = await configured.replay('not-applied-with-writes', [configured.file])
  assert.equal(code, 1, output)
  assert.match(output, /NOT_APPLIED must not write properties/)
})

test('the values can come from a file', async (t) => {
  const { folder, file, questions, replay } = setUp(t, receiptOf('INSTALL', 'spring'))
  const pointer = `/resources/${LOCATOR.replaceAll('/', '~1')}/properties/plan/value`
  const values = join(folder, 'values.json')
  writeFileSync(values, JSON.stringify({ [pointer]: SECRET }))
  assert.equal((await replay(null, [file, '--values', values])).code, 0)
  assert.deepEqual(questions, [])

  writeFileSync(values, JSON.stringify({ [pointer]: SECRET, '/resources/plan': 'x' }))
  const { code, output } = await replay(null, [file, '--values', values])
  assert.equal(code, 2)
  assert.match(output, /name \/resources\/plan, which the receipt does not mask\. It masks \/resources\//)
})

test('values that would change are refused at their place, from a file and from a person', async (t) => {
  const { folder, file, replay } = setUp(t, receiptOf('INSTALL', 'spring'))
  const values = join(folder, 'values.json')
  const isRefused = async (args: readonly string[], pattern: RegExp, answer = SECRET) => {
    const { code, output } = await replay(null, [file, ...args], answer)
    assert.equal(code, 2)
    assert.match(output, pattern)
    assert.doesNotMatch(output, /\n/)
  }
  writeFileSync(values, '{"/resources/a":"x",\n "/resources/a":"y"}')
  await isRefused(
    ['--values', values],
    /values\.json is not usable JSON: The key is duplicated .*\(line 2, column 2\)/,
  )
  writeFileSync(values, Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]))
  await isRefused(['--values', values], /values\.json is not valid UTF-8/)
  await isRefused(
    [],
    /The value for plan of \S+ is not usable JSON: A number cannot .*\(line 1, column 7\)/,
    '{"id":9007199254740993}',
  )
})

test('a receipt with a repeated key is refused, because its sha256 does not show it', async (t) => {
  const receipt = receiptOf('INSTALL', 'spring')
  const { file, replay } = setUp(t, receipt)
  writeFileSync(file, JSON.stringify(receipt).replace('{', '{"operation":null,'))
  const { code, output } = await replay(null, [file])
  assert.equal(code, 2)
  assert.match(output, /^The receipt \S+ is not usable JSON: The key is duplicated .*\. Export the operation/)
})

test('all masked values that are missing are named at once', async (t) => {
  const text = JSON.stringify(receiptOf('INSTALL', 'spring')).replace('"Northwind"', JSON.stringify(MASK))
  const { file, replay } = setUp(t, withDigest(JSON.parse(text) as JsonObject))
  const { code, output } = await replay(null, [file], null)
  assert.equal(code, 2)
  assert.match(
    output,
    /masks displayName of \S+, plan of .*displayName\/value": VALUE, ".*plan\/value": VALUE}\.$/,
  )
})

test('what cannot be replayed is explained in one line', async (t) => {
  const receipt = receiptOf('INSTALL', 'spring')
  const { folder, file, replay } = setUp(t, receipt)
  const isUsage = async (args: readonly string[], pattern: RegExp, answer: string | null = SECRET) => {
    const { code, output } = await replay(null, args, answer)
    assert.equal(code, 2)
    assert.match(output, pattern)
    assert.doesNotMatch(output, /\n/)
  }
  await isUsage([file], /masks plan of .*Run plugin-check in a terminal, or give --values/, null)
  await isUsage([join(folder, 'no.json')], /cannot be read/)
  await isUsage([join(folder, 'profile.json')], /is not a receipt of version 1/)
  const succeeded = JSON.stringify(receipt).replaceAll('"outcome":null', '"outcome":"APPLIED"')
  writeFileSync(file, JSON.stringify(withDigest(JSON.parse(succeeded) as JsonObject)))
  await isUsage([file], /contains no failed call of the plugin reference-plugin/)
})

test('a receipt of a stranger is kept in the store only, and cannot control the terminal (C06)', async (t) => {
  const given = JSON.stringify(receiptOf('INSTALL', 'spring'))
    .replaceAll(OPERATION_ID, String.raw`x/../../../outside\u001b[2J`)
    .replaceAll(`"value":"${MASK}"`, String.raw`"value":{"\u001b]0;\u202e":"${MASK}"}`)
  const { folder, file, questions, replay } = setUp(t, withDigest(JSON.parse(given) as JsonObject))
  const { output } = await replay(null, [file])
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  assert.equal(files.filter((name) => /^store.receipts.\w+\.json$/.test(name)).length, 1, files.join())
  assert.deepEqual(
    files.filter((name) => !name.startsWith('store')),
    ['profile.json', 'receipt.json'],
  )
  assert.match(output, /INSTALL\.BEFORE_RESOURCES\.x\/\.\.\/\.\.\/\.\.\/outside\ufffd\[2J/)
  assert.equal(questions.length, 1)
  assert.doesNotMatch(output.replaceAll('\n', '') + questions.join(''), /[\p{Cc}\p{Cf}]/u)
})

test('a receipt that was changed since its export is refused in one line', async (t) => {
  const { sha256 = null, ...content } = receiptOf('INSTALL', 'spring')
  const { file, replay } = setUp(t, content)
  const isRefused = async (receipt: JsonObject, pattern: RegExp) => {
    writeFileSync(file, JSON.stringify(receipt))
    const { code, output } = await replay(null, [file])
    assert.equal(code, 2)
    assert.match(output, pattern)
    assert.doesNotMatch(output, /\n/)
  }
  await isRefused(content, /has no sha256\. Export/)
  await isRefused({ ...content, sha256: '0'.repeat(64) }, /was changed after its export/)
  await isRefused(
    { ...content, exportedAt: '2026-11-21T10:00:00.000Z', sha256 },
    /was changed after its export/,
  )

  // who changes a receipt can compute its digest again, but not the signature
  const pair = generateKeyPairSync('ed25519')
  const { x } = pair.publicKey.export({ format: 'jwk' })
  const keys = join(dirname(file), 'platform-keys.json')
  writeFileSync(keys, JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'one', x }] }))
  const text = `bundle-console operation receipt\n${digestOf(content)}`
  const value = sign(null, Buffer.from(text), pair.privateKey).toString('base64url')
  const isRefusedBy = async (receipt: JsonObject, pattern: RegExp) => {
    writeFileSync(file, JSON.stringify(withDigest(receipt)))
    const { code, output } = await replay(null, [file, '--platform-keys', keys])
    assert.equal(code, 2)
    assert.match(output, pattern)
  }
  const signed = { ...content, signatures: [{ keyId: 'one', value }] }
  await isRefusedBy({ ...signed, exportedAt: '2026-11-21T10:00:00.000Z' }, /its signature does not match/)
  await isRefusedBy({ ...signed, signatures: [{ keyId: 'two', value }] }, /is not signed with a key of/)
  await isRefusedBy(content, /is not signed with a key of/)
  writeFileSync(file, JSON.stringify(withDigest(signed)))
  assert.equal((await replay(null, [file, '--platform-keys', keys])).code, 0)
})

/**
 * A plugin that writes one property, unless the authorization that it reads, as the SDK does, forbids that. Answers with
 * what the authorization read has returned: an HTTP status, or the properties that may be written.
 */
async function startWriter(t: TestContext, { property, platform }: { property: string; platform: string }) {
  const reads: unknown[] = []
  const url = await serve(t, (incoming, outgoing) => {
    void text(incoming).then(async (body) => {
      const { configuration: _configuration, resources, ...echo } = JSON.parse(body) as LifecycleRequest
      const read = await fetch(`${platform}/module-plugin-manager/api/bundle-plugin/authorization/read`, {
        method: 'POST',
        headers: { authorization: 'Bearer plugin-check-credential', 'content-type': 'application/json' },
        body: JSON.stringify({ contractVersion: '1.0.0', installation: echo.installation }),
      })
      const { data } = (await read.json()) as { data?: CompiledAuthorization }
      reads.push(data?.resources.map(({ writeProperties }) => writeProperties) ?? read.status)
      const isForbidden = data?.resources.some(({ writeProperties }) => !writeProperties.includes(property))
      const [locator = ''] = Object.keys(resources)
      const written = { [locator]: { [property]: { '@type': 'Data', value: 'x' } } }
      const answer = isForbidden
        ? {
            errorCode: 'WRITE_NOT_AUTHORIZED',
            data: { message: `${property} is forbidden`, retryable: false },
          }
        : { errorCode: '0', data: { ...echo, outcome: 'APPLIED', resources: written } }
      outgoing.end(JSON.stringify({ contractVersion: '1.0.0', ...answer }))
    })
  })
  return { url, reads }
}

/** Runs replay without a profile; the person answers with the secret. */
async function replayWithoutProfile(
  { folder, file }: { folder: string; file: string },
  { url, port }: { url: string; port: number },
) {
  const output: string[] = []
  const print = (line: string) => output.push(line)
  const address = ['--url', url, '--platform-port', String(port), '--profile', join(folder, 'none.json')]
  const code = await runCommand(['replay', file, ...address, '--store', join(folder, 'store')], {
    print,
    printError: print,
    ask: () => Promise.resolve(SECRET),
  })
  return { code, output: output.join('\n') }
}

/** Runs replay without a profile against a plugin that writes one property. */
async function replayWriter(t: TestContext, receipt: JsonObject, property: string) {
  const { folder, file } = setUp(t, receipt)
  const port = await freePort()
  const { url, reads } = await startWriter(t, { property, platform: `http://127.0.0.1:${port}` })
  return { reads, ...(await replayWithoutProfile({ folder, file }, { url, port })) }
}

test('without a profile a plugin may write what the receipt permits', async (t) => {
  const refused = receiptOf('INSTALL', '2.0.0', WRITE_REFUSED)
  const fixed = await replayWriter(t, refused, 'region')
  assert.equal(fixed.code, 0, fixed.output)
  assert.deepEqual(fixed.reads, [[['tenantId', 'accessToken', 'region']]])
  const other = await replayWriter(t, refused, 'shade')
  assert.equal(other.code, 1, other.output)

  const silent = await replayWriter(t, receiptOf('INSTALL', 'spring'), 'region')
  assert.equal(silent.code, 0, silent.output)
  assert.deepEqual(silent.reads, [404])
})

test('a write that is neither permitted nor the one of production is no fix', async (t) => {
  const withoutColor = JSON.stringify(receiptOf('INSTALL', '2.0.0', WRITE_REFUSED)).replaceAll(
    '"color"',
    '"shade"',
  )
  const { file, replay } = setUp(t, withDigest(JSON.parse(withoutColor) as JsonObject))
  const { code, output } = await replay('undeclared-write', [file])
  assert.equal(code, 1, output)
  assert.match(output, /color of .* is written, and the plugin may not write it/)
})

test('a write that the SDK refused in production is no fix, although the authorization is not known', async (t) => {
  const failure = {
    errorCode: 'WRITE_NOT_AUTHORIZED',
    message: `region of ${LOCATOR} is not in the writeProperties of the plugin`,
    retryable: false,
  }
  const { code, output } = await replayWriter(t, receiptOf('INSTALL', '2.0.0', failure), 'region')
  assert.equal(code, 1, output)
  assert.match(output, /region of .* is written again/)
})

for (const operationType of ['INSTALL', 'UPGRADE'] satisfies OperationType[])
  test(`an ${operationType} that could not be sent as in production is neither fixed nor failed`, async (t) => {
    const place = setUp(t, receiptOf(operationType, 'spring'))
    const port = await freePort()
    const send = (url: string) => replayWithoutProfile(place, { url, port })
    const isNotReplayed = async (url: string, line: RegExp) => {
      const { code, output } = await send(url)
      assert.equal(code, 2, output)
      assert.match(output, /^NOT REPLAYED {2}/)
      assert.match(output, line)
      assert.equal(output.split('\n').length, 3)
    }
    await isNotReplayed(
      `http://127.0.0.1:${await freePort()}/`,
      /cannot be reached: the connection was refused/,
    )
    await isNotReplayed(
      await serve(t, (_, response) => response.writeHead(401).end()),
      /refused a valid token for reference-plugin \(401\)\. Set its platform API base/,
    )
    await isNotReplayed(await serve(t, (_, response) => response.end('<h1>Hello</h1>')), /is not JSON/)
    const other = await serve(t, (_, response) => {
      void fetch(`http://127.0.0.1:${port}/module-plugin-manager/api/bundle-plugin/authorization/read`, {
        method: 'POST',
        headers: { authorization: 'Bearer another' },
      }).then(() =>
        response.end('{"errorCode":"AUTHORIZATION_UNAVAILABLE","data":{"message":"no","retryable":false}}'),
      )
    })
    await isNotReplayed(other, /a wrong credential.* plugin-check-credential\.$/)

    // the plugin got the call and ended
    const lost = await send(await serve(t, (request) => request.socket.destroy()))
    if (operationType === 'INSTALL') {
      assert.equal(lost.code, 1, lost.output)
      assert.match(lost.output, /^STILL FAILS.*now: {11}no definite response \(the connection was lost\)/s)
    } else assert.equal(lost.code, 2, lost.output)
  })

test('before a failed CONFIGURE, an INSTALL has the values that the CONFIGURE changes', async (t) => {
  const receipt = receiptOf('CONFIGURE', '1.0.0', NAME_INVALID)
  const { operation } = receipt as {
    operation: JsonObject & { stages: { calls: { request: LifecycleRequest }[] }[] }
  }
  const properties = operation.stages[0]?.calls[0]?.request.resources[LOCATOR]?.properties ?? {}
  // an INSTALL with this value fails as the CONFIGURE does
  properties['displayName'] = { '@type': 'Data', value: 7 }
  operation['changes'] = [
    {
      locator: LOCATOR,
      property: 'displayName',
      before: { '@type': 'Data', value: 'Northwind' },
      after: { '@type': 'Data', value: 7 },
    },
  ]
  const { file, replay } = setUp(t, withDigest(receipt))
  const { code, output } = await replay(null, [file])
  assert.match(output, /now: +failure NAME_INVALID/)
  assert.match(output, /^STILL FAILS/)
  assert.equal(code, 1)
})

test('a folder of receipts is a regression suite', async (t) => {
  const { folder, replay } = setUp(t, receiptOf('INSTALL', 'spring'))
  const receipts = join(folder, 'receipts')
  mkdirSync(receipts)
  const none = await replay(null, [receipts])
  assert.equal(none.code, 2)
  assert.match(none.output, /There are no receipts in/)
  writeFileSync(join(receipts, 'one.json'), JSON.stringify(receiptOf('INSTALL', 'spring')))
  writeFileSync(join(receipts, 'two.json'), JSON.stringify(receiptOf('UPGRADE', 'summer')))
  const broken = await replay('orders-versions', [receipts])
  assert.equal(broken.code, 1)
  assert.match(
    broken.output,
    /^STILL FAILS {2}one\.json.*STILL FAILS {2}two\.json.*0 of 2 receipts are fixed$/s,
  )
  const fixed = await replay(null, [receipts])
  assert.equal(fixed.code, 0)
  assert.match(fixed.output, /2 of 2 receipts are fixed$/)
})
