import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { freePort } from '../../../../database/free-port.ts'
import { startReferencePlugin } from '../../testing/reference-plugin.ts'
import { referenceProfile } from '../../testing/reference-profile.ts'
import { serve } from '../../testing/serve.ts'
import type { DefectName } from '../../testing/defects.ts'
import { CASES } from '../cases/all-cases.ts'
import { parseProfile } from '../profile.ts'
import { STARTER_PROFILE } from '../starter-profile.ts'
import { runCommand } from './command-line.ts'
import { progressOf } from './progress.ts'

interface Ran {
  code: number
  output: string[]
  errors: string[]
}

async function run(...args: string[]): Promise<Ran> {
  const output: string[] = []
  const errors: string[] = []
  const terminal = {
    print: (text: string) => output.push(text),
    printError: (text: string) => errors.push(text),
    ask: () => Promise.resolve(null),
  }
  return { code: await runCommand(args, terminal), output, errors }
}

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'plugin-check-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The reference plugin in this process, and the options with which the checker reaches it. */
async function startPlugin(t: TestContext, folder: string, defect: DefectName | null = null) {
  const port = await freePort()
  const plugin = await startReferencePlugin({ platform: `http://127.0.0.1:${port}`, file: null, defect })
  t.after(() => plugin.close())
  const profile = join(folder, 'profile.json')
  writeFileSync(profile, JSON.stringify(referenceProfile(plugin.url)))
  const options = ['--url', `${plugin.url}/lifecycle`, '--profile', profile, '--platform-port', String(port)]
  return [...options, '--store', folder]
}

/** What is wrong, and what to do, in one line. */
function assertUsage({ code, errors }: Ran, pattern: RegExp): void {
  assert.equal(code, 2)
  assert.equal(errors.length, 1)
  assert.match(errors[0] ?? '', pattern)
  assert.doesNotMatch(errors[0] ?? '', /\n/)
}

test('list has a line per case, its id first', async () => {
  const { code, output } = await run('list')
  assert.equal(code, 0)
  assert.deepEqual(
    output.map((line) => line.split(' ')[0]),
    CASES.map(({ id }) => id),
  )
})

test('explain shows requirement, fix and rule of a case', async () => {
  const { output } = await run('explain', 'bytes.refused')
  assert.match(output.join('\n'), /Other bytes.*Fix: .*docs\/protocol\.md#other-bytes/s)
})

test('each mistake in the arguments is explained in one line', async (t) => {
  const folder = temporary(t)
  assertUsage(await run('test'), /There is no command test/)
  assertUsage(await run('run'), /--url is missing/)
  assertUsage(await run('run', '--utl', 'x'), /^Unknown option '--utl'\. See plugin-check help\.$/)
  assertUsage(
    await run('run', '--url'),
    /^Option '--url <value>' argument missing\. See plugin-check help\.$/,
  )
  assertUsage(
    await run('replay', '--url', 'http://127.0.0.1:1/', 'receipt.json'),
    /^receipt\.json is at the wrong place: .* plugin-check replay RECEIPT --url URL\. See plugin-check help\.$/,
  )
  assertUsage(await run('explain', 'nothing'), /There is no case nothing/)
  const options = await startPlugin(t, folder)
  assertUsage(await run('run', ...options, '--seed', 'x'), /--seed must be a whole number/)
  assertUsage(await run('run', ...options, '--case', 'unknown'), /There is no case unknown/)
  assertUsage(await run('run', ...options, '--url', 'plugin'), /is not an address/)
})

test('a report in a folder that does not exist is explained before the run', async (t) => {
  const folder = temporary(t)
  const options = await startPlugin(t, folder)
  const missing = join(folder, 'missing', 'report.html')
  // a run would tell that nobody listens there
  const url = `http://127.0.0.1:${await freePort()}/`
  const at = (...files: string[]) => run('run', ...options, '--url', url, ...files)
  assertUsage(await at('--html', missing), /report\.html cannot be written\. Check that its folder exists\.$/)
  const store = join(folder, 'store')
  assertUsage(await at('--store', store, '--html', join(store, 'report.html')), /cannot be reached/)
})

test('a report that cannot be written costs neither the results nor the other reports', async (t) => {
  const folder = temporary(t)
  const options = await startPlugin(t, folder, 'same-sequence')
  const junit = join(folder, 'junit')
  // a file cannot have the name of a folder
  const ran = await run(
    'run',
    ...options,
    '--case',
    'late.same-sequence-refused',
    '--json',
    folder,
    '--junit',
    junit,
  )
  const [first, ...errors] = ran.errors
  // at once, as other failures may follow from it
  assert.match(first ?? '', /^First failure: late\.same-sequence-refused: /)
  assertUsage({ ...ran, errors }, /^The report \S+ cannot be written/)
  const fix = CASES.find(({ id }) => id === 'late.same-sequence-refused')?.fix ?? ''
  assert.ok(fix !== '' && ran.output.join('\n').includes(`\n  ${fix}\n`))
  assert.match(ran.output.join('\n'), /✖ late\.same-sequence-refused/)
  assert.deepEqual(readdirSync(join(folder, 'failures')), ['late.same-sequence-refused.json'])
  assert.match(readFileSync(junit, 'utf8'), /late\.same-sequence-refused/)
})

test('a slow run says how long it still takes, from the cases that the profile makes possible', () => {
  const lines: string[] = []
  let clock = 0
  const [tested, other] = [
    CASES.filter(({ needs }) => needs.length === 0),
    CASES.filter(({ needs }) => needs.includes('runbooks')),
  ]
  const cases = [...other.slice(0, 1), ...tested.slice(0, 11)]
  const profile = parseProfile({ ...STARTER_PROFILE, runbooks: undefined }, 'of the test')
  const onResult = progressOf(cases, profile, { print: (line) => lines.push(line), now: () => clock })
  for (const [index, { id }] of cases.entries()) {
    const isTested = index > 0
    clock += isTested ? 30_000 : 6_000
    onResult({
      id,
      status: isTested ? 'PASSED' : 'NOT_TESTED',
      problem: null,
      repeatProblem: null,
      ms: 0,
      sent: [],
    })
  }
  assert.deepEqual(lines.slice(0, 3), [
    '1 of 12 cases',
    '2 of 12 cases; at this pace, about 6 min more',
    '3 of 12 cases; at this pace, about 5 min more',
  ])
  assert.equal(lines.at(-1), '11 of 12 cases; at this pace, less than a minute more')
})

test('a wrong profile is explained in one line', async (t) => {
  const folder = temporary(t)
  const file = join(folder, 'profile.json')
  const withProfile = async (text: string) => {
    writeFileSync(file, text)
    return run('run', '--url', 'http://127.0.0.1:1/', '--profile', file)
  }
  assertUsage(
    await run('run', '--url', 'http://127.0.0.1:1/', '--profile', join(folder, 'no.json')),
    /cannot be read/,
  )
  assertUsage(
    await withProfile('{"pluginId": "p",\n  "resources": {}'),
    /profile\.json is not usable JSON: The JSON text is incomplete \(line 2, column 18\)\. Correct it/,
  )
  assertUsage(
    await withProfile('{"pluginId": "p",\n "pluginId": "q", "resources": {}}'),
    /The key is duplicated in one object \(line 2, column 2\)/,
  )
  assertUsage(
    await withProfile('{"resources": {"x": {"properties": {"id": 9007199254740993}}}}'),
    /A number cannot be represented exactly.*\(line 1, column 43\)/,
  )
  assertUsage(await withProfile('\uFEFF{}'), /A JSON value is expected \(line 1, column 1\)/)
  assertUsage(await withProfile('{"pluginId": 7, "resources": {}}'), /pluginId/)
  assertUsage(await withProfile('{"pluginId": "p", "resources": {}}'), /name at least one Module/)
  assertUsage(await withProfile('{"pluginId": "p", "resources": {"x": {}}}'), /resources/)
})

test('a plugin that cannot be tested is explained in one line', async (t) => {
  const folder = temporary(t)
  const options = await startPlugin(t, folder)
  const at = (url: string) => run('run', ...options, '--url', url)
  assertUsage(
    await at(`http://127.0.0.1:${await freePort()}/`),
    /cannot be reached: the connection was refused\. Start it/,
  )
  assertUsage(await at(await serve(t, (_, response) => response.writeHead(401).end())), /platform API base/)
  assertUsage(
    await at(await serve(t, (_, response) => response.writeHead(503).end())),
    /If it cannot reach its platform, set its platform API base to http/,
  )
  assertUsage(
    await at(await serve(t, (_, response) => response.writeHead(404).end())),
    /Check the path of --url/,
  )
  assertUsage(
    await at(await serve(t, (_, response) => response.writeHead(302, { location: '/x' }).end())),
    /no lifecycle endpoint/,
  )
  const refusal = { errorCode: 'REQUEST_INVALID', data: { message: 'no', retryable: false } }
  assertUsage(
    await at(await serve(t, (_, response) => response.end(JSON.stringify(refusal)))),
    /refused an INSTALL .*: "no"\)\. Correct the plugin, or/,
  )
})

test('a credential that the platform does not know is explained in one line', async (t) => {
  const folder = temporary(t)
  const options = await startPlugin(t, folder)
  const file = join(folder, 'profile.json')
  const profile: object = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...profile, credential: 'a-renewed-credential' }))
  assertUsage(await run('run', ...options), /a wrong credential/)
})

test('a plugin that resolves before the resources are installed is explained in one line', async (t) => {
  const folder = temporary(t)
  const options = await startPlugin(t, folder)
  const platform = `http://127.0.0.1:${options[options.indexOf('--platform-port') + 1] ?? ''}`
  const { resources } = JSON.parse(readFileSync(join(folder, 'profile.json'), 'utf8')) as {
    resources: Record<string, { references: object }>
  }
  const [resource = '', { references = {} } = {}] = Object.entries(resources)[0] ?? []
  const url = await serve(t, (request, response) => {
    void text(request).then(async (body) => {
      const { installation } = JSON.parse(body) as { installation: object }
      const [propertyKey] = Object.keys(references)
      const resolved = await fetch(
        `${platform}/module-plugin-manager/api/bundle-plugin/service-reference/resolve`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: 'Bearer reference-credential' },
          body: JSON.stringify({ contractVersion: '4.0.0', installation, resource, propertyKey }),
        },
      )
      response.end(await resolved.text())
    })
  })
  assertUsage(await run('run', ...options, '--url', url), /Resolve it in AFTER_RESOURCES/)
})

test('a profile to start from is created once', async (t) => {
  const file = join(temporary(t), 'plugin-check.json')
  const { code, output } = await run('init', '--profile', file)
  assert.equal(code, 0)
  assert.match(output.join('\n'), /Add start and state, .* [1-9]\d of \d+ cases are not tested\.$/)
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), STARTER_PROFILE)
  assertUsage(await run('init', '--profile', file), /exists, and was not changed/)
})

test('a port that is in use is explained in one line', async (t) => {
  const folder = temporary(t)
  const options = await startPlugin(t, folder)
  const taken = await serve(t, (_, response) => response.end())
  assertUsage(await run('run', ...options, '--platform-port', new URL(taken).port), /is in use/)
})

test('a failed case is stored, and replay tells when it is fixed', async (t) => {
  const folder = temporary(t)
  const broken = await startPlugin(t, folder, 'same-sequence')
  const first = await run('run', ...broken, '--case', 'late.same-sequence-refused')
  assert.equal(first.code, 1, first.errors.join())
  assert.deepEqual(readdirSync(join(folder, 'failures')), ['late.same-sequence-refused.json'])
  const still = await run('replay', ...broken)
  assert.equal(still.code, 1, still.errors.join())
  assert.match(still.output.join('\n'), /^STILL FAILS {2}late\.same-sequence-refused/)
  const fixed = await startPlugin(t, folder)
  const second = await run('replay', ...fixed)
  assert.equal(second.code, 0)
  assert.match(second.output.join('\n'), /^FIXED +late\.same-sequence-refused/)
  assert.deepEqual(readdirSync(join(folder, 'failures')), [])
})

test('replay removes a stored failure of a case that no longer exists', async (t) => {
  const folder = temporary(t)
  const options = await startPlugin(t, folder)
  const stored = join(folder, 'failures')
  mkdirSync(stored)
  writeFileSync(join(stored, 'old.id.json'), JSON.stringify({ id: 'old.id', seed: 1, problem: 'It failed' }))
  const { code, output } = await run('replay', ...options)
  assert.equal(code, 0)
  assert.deepEqual(output, [`old.id is no longer a case, and was removed from ${folder}.`])
  assert.deepEqual(readdirSync(stored), [])
})

test('replay skips a stored failure with another id than its file', async (t) => {
  const folder = temporary(t)
  const options = await startPlugin(t, folder)
  const outside = join(folder, 'outside.json')
  mkdirSync(join(folder, 'failures'))
  for (const file of [outside, join(folder, 'failures', 'old.id.json')])
    writeFileSync(file, JSON.stringify({ id: '../outside', seed: 1, problem: 'It failed' }))
  assert.match((await run('replay', ...options)).output.join('\n'), /^There are no stored failures/)
  assert.ok(existsSync(outside))
})

test('run writes every report, and the HTML report loads nothing', async (t) => {
  const folder = temporary(t)
  const options = await startPlugin(t, folder, 'no-fingerprint')
  const files = ['json', 'junit', 'html', 'badge'].flatMap((name) => [`--${name}`, join(folder, name)])
  const { code, output } = await run('run', ...options, ...files, '--case', 'bytes', '--case', 'restart')
  assert.equal(code, 1)
  assert.match(output.join('\n'), /✖ bytes\.refused/)
  const [json, junit, html, badge] = ['json', 'junit', 'html', 'badge'].map((name) =>
    readFileSync(join(folder, name), 'utf8'),
  )
  const report = JSON.parse(json ?? '')
  assert.equal(report.passed, false)
  assert.equal(report.totals.NOT_TESTED, 6)
  assert.doesNotMatch(json ?? '', /Bearer|eyJ/)
  assert.match(
    junit ?? '',
    /<failure message="A call with other bytes must be refused[^]*<skipped message="the profile has no start/,
  )
  assert.match(html ?? '', /default-src 'none'/)
  assert.doesNotMatch(html ?? '', /\b(?:src|href)="(?!#)|@import|url\(/)
  assert.match(html ?? '', /Not tested[^]*restart\.remembers[^]*id="bytes\.refused"/)
  assert.match(badge ?? '', /^<svg [^]*failed/)
})

test('a plugin that gives no complete response is not said to be unreachable', async (t) => {
  const options = await startPlugin(t, temporary(t))
  const at = (url: string) => run('run', ...options, '--url', url)
  const plain = await serve(t, (_, response) => response.end())
  assertUsage(
    await at(plain.replace('http:', 'https:')),
    /cannot be reached: no secure connection could be established; the port may not use TLS\. Start it/,
  )
  const large = await serve(t, (_, response) => response.end('x'.repeat(5 * 1024 * 1024)))
  assertUsage(await at(large), /gave no complete response: the response is larger than 4 MiB\. Correct it/)
})

test('a page instead of a plugin is explained in one line, and garbage that is not constant is tested', async (t) => {
  const options = await startPlugin(t, temporary(t))
  const page = await serve(t, (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Hello</h1>'),
  )
  assertUsage(
    await run('run', ...options, '--url', page),
    /There is no lifecycle endpoint at .*: the response is not JSON, but text\/html\. Check --url\.$/,
  )
  const marked = await serve(t, (_, response) => response.end('\uFEFF{"errorCode":"0"}'))
  assertUsage(
    await run('run', ...options, '--url', marked),
    /The response of .* begins with a byte order mark, so it is not JSON\. Send UTF-8 without it\.$/,
  )
  let count = 0
  const unsteady = await serve(t, (_, response) =>
    response.end(count++ === 0 ? 'not JSON' : '{"errorCode":"0","data":{"outcome":"APPLIED"}}'),
  )
  const { state: _state, ...profile } = referenceProfile(unsteady)
  const file = options[options.indexOf('--profile') + 1] ?? ''
  writeFileSync(file, JSON.stringify(profile))
  const { code, output } = await run('run', ...options, '--url', unsteady, '--case', 'envelope.version')
  assert.equal(code, 0, output.join('\n'))
})

test('a partial run says that it is no proof', async (t) => {
  const options = await startPlugin(t, temporary(t))
  const { code, output } = await run('run', ...options, '--case', 'echo')
  assert.equal(code, 0)
  assert.match(output.join('\n'), /PASSED in .*\n.*\nThis was a partial run, which proves nothing/)
})

test('call sends one call, prints the judged response and how to send it again', async (t) => {
  const folder = temporary(t)
  const options = await startPlugin(t, folder)
  const first = await run('call', ...options, '--operation', 'INSTALL')
  assert.equal(first.code, 0)
  const text = first.output.join('\n')
  assert.match(text, /^INSTALL BEFORE_RESOURCES: outcome APPLIED \(\d+ ms\)\n\{\n {2}"contractVersion"/)
  const [, install = '', id = ''] = /--install (\S+) --operation-id (\S+) --sequence 1/.exec(text) ?? []
  const same = ['--install', install, '--operation-id', id, '--sequence', '1']
  const again = await run('call', ...options, '--operation', 'INSTALL', ...same)
  assert.equal(again.output[1], first.output[1])

  const invalid = await run('call', ...options, '--operation', 'CONFIGURE', '--values', 'invalid')
  assert.equal(invalid.code, 1)
  assert.match(
    invalid.output[0] ?? '',
    /^CONFIGURE BEFORE_RESOURCES: failure NAME_INVALID with retryable false: displayName/,
  )
  const after = await run('call', ...options, '--operation', 'DETACH', '--stage', 'AFTER_RESOURCES')
  assert.match(after.output[0] ?? '', /^DETACH AFTER_RESOURCES: outcome APPLIED/)

  assertUsage(await run('call', ...options, '--operation', 'REPAIR'), /--operation must be one of INSTALL/)
  assertUsage(
    await run('call', ...options, '--operation', 'DETACH', '--install', install),
    /--install needs --sequence/,
  )
  assertUsage(
    await run('call', ...options, '--operation', 'INSTALL', '--values', 'no.json'),
    /no\.json cannot be read/,
  )
})

test('call names what the runtime would refuse in a success', async (t) => {
  const folder = temporary(t)
  const { code, output } = await run(
    'call',
    ...(await startPlugin(t, folder, 'undeclared-write')),
    '--operation',
    'INSTALL',
  )
  assert.equal(code, 1)
  assert.match(output[0] ?? '', /outcome APPLIED; color of \S+ is written, and the plugin may not write it/)
})

test('help is printed for each command, and nothing is sent', async () => {
  for (const command of ['run', 'call', 'replay']) {
    const { code, output } = await run(command, '--help')
    assert.equal(code, 0)
    assert.match(output.join('\n'), /plugin-check run --url URL/)
  }
})
