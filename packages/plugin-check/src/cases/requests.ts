import type { Call } from '../wire/build-call.ts'
import type { Sent, Trial } from '../run/trial.ts'
import { describeAnswer, isDone, isUndecided } from '../wire/read-answer.ts'
import { caseGroup, type Case } from './case.ts'

const request = caseGroup('request', { rule: 'requests-that-a-plugin-refuses', kind: 'behaviour' })

/** Sends a changed body, and then the right one: it must be refused, and must leave nothing behind. */
async function rejects(trial: Trial, what: string, change: (call: Call) => Buffer | object): Promise<void> {
  const installation = trial.install()
  const { before } = installation.operation('INSTALL', 1)
  const changed = change(before)
  const stateBefore = await trial.state(installation)
  const bytes = Buffer.isBuffer(changed) ? changed : Buffer.from(JSON.stringify(changed))
  trial.checkRejected(await trial.settleBytes(bytes, before), what)
  await trial.checkSameState(installation, stateBefore, `${what} had an effect`)
}

const rejection = (
  name: string,
  title: string,
  what: string,
  change: (call: Call) => Buffer | object,
): Case =>
  request(
    name,
    {
      title,
      fix: 'Validate the whole request before anything happens, and respond with a failure that is not retryable.',
    },
    (trial) => rejects(trial, what, change),
  )

const withSequence = (sequence: string) => (call: Call) =>
  Buffer.from(call.bytes.toString().replace(/"executionSequence":\d+/, `"executionSequence":${sequence}`))

async function acceptsBody(trial: Trial, padding: number): Promise<void> {
  const { before } = trial.install().operation('INSTALL', 1)
  const { configuration } = before.request
  const values = { ...configuration.values, padding: 'x'.repeat(padding) }
  const body = { ...before.request, configuration: { ...configuration, values } }
  const { answer } = await trial.settleBytes(Buffer.from(JSON.stringify(body)), before)
  trial.check(
    (answer.kind === 'success' || answer.kind === 'failure') && !isUndecided(answer),
    `A request of ${padding / 1_000} kB got ${describeAnswer(answer)}`,
  )
}

const checkNotDone = (trial: Trial, { answer }: Sent, what: string): void =>
  trial.check(!isDone(answer), `${what} was executed`)

export const REQUEST_CASES: readonly Case[] = [
  rejection('not-json', 'A body that is not JSON is refused', 'A body that is not JSON', () =>
    Buffer.from('install, please'),
  ),
  rejection('truncated', 'A truncated body is refused', 'A truncated body', ({ bytes }) =>
    bytes.subarray(0, -1),
  ),
  rejection('empty', 'An empty body is refused', 'An empty body', () => Buffer.alloc(0)),
  rejection('list', 'A body that is a list is refused', 'A list', ({ request: sent }) => [sent]),
  rejection('not-utf8', 'A body that is not UTF-8 is refused', 'A body that is not UTF-8', ({ bytes }) =>
    Buffer.concat([bytes.subarray(0, -1), Buffer.from([0x2c, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])]),
  ),
  rejection('utf-16', 'A body in UTF-16 is refused', 'A body in UTF-16', ({ bytes }) =>
    Buffer.from(bytes.toString(), 'utf16le'),
  ),
  rejection(
    'not-a-number',
    'A body with NaN, which is not JSON, is refused',
    'A body with NaN',
    ({ bytes }) =>
      Buffer.from(bytes.toString().replace('"values":{', '"values":{"checked":NaN,').replace(',}', '}')),
  ),
  rejection(
    'other-plugin',
    'A request for another plugin is refused',
    'A request for another pluginId',
    ({ request: sent }) => ({
      ...sent,
      pluginId: 'another-plugin',
    }),
  ),
  rejection(
    'unknown-operation',
    'An unknown operationType is refused',
    'operationType REPAIR',
    ({ request: sent }) => ({
      ...sent,
      operation: { ...sent.operation, operationType: 'REPAIR' },
    }),
  ),
  rejection(
    'unknown-stage',
    'An unknown stage is refused',
    'stage DURING_RESOURCES',
    ({ request: sent }) => ({
      ...sent,
      stage: 'DURING_RESOURCES',
    }),
  ),
  rejection(
    'no-installation',
    'A request without an installation is refused',
    'A request without an installation',
    ({ request: sent }) => ({
      ...sent,
      installation: undefined,
    }),
  ),
  rejection(
    'no-resources',
    'A request without resources is refused',
    'A request without resources',
    ({ request: sent }) => ({
      ...sent,
      resources: undefined,
    }),
  ),
  rejection(
    'bare-value',
    'A property that is not wrapped as Data is refused',
    'A bare value',
    ({ request: sent }) => ({
      ...sent,
      resources: Object.fromEntries(
        Object.entries(sent.resources).map(([locator, entry]) => [
          locator,
          { ...entry, properties: { bare: 'value' } },
        ]),
      ),
    }),
  ),
  rejection('sequence-zero', 'executionSequence 0 is refused', 'executionSequence 0', withSequence('0')),
  rejection(
    'sequence-negative',
    'A negative executionSequence is refused',
    'executionSequence -1',
    withSequence('-1'),
  ),
  rejection(
    'sequence-fraction',
    'An executionSequence with a fraction is refused',
    'executionSequence 1.5',
    withSequence('1.5'),
  ),
  rejection(
    'sequence-text',
    'An executionSequence that is a text is refused',
    'executionSequence "1"',
    withSequence('"1"'),
  ),
  rejection(
    'sequence-boolean',
    'An executionSequence that is true is refused',
    'executionSequence true',
    withSequence('true'),
  ),
  rejection(
    'sequence-too-large',
    'An executionSequence above 2^53 - 1 is refused',
    'executionSequence 2^53',
    withSequence('9007199254740993'),
  ),
  request(
    'get',
    {
      title: 'A GET is not executed',
      fix: 'Accept only POST, and respond with 405 to other methods.',
    },
    async (trial) => {
      const { before } = trial.install().operation('INSTALL', 1)
      checkNotDone(
        trial,
        await trial.settleBytes(Buffer.alloc(0), before, { delivery: { method: 'GET' } }),
        'A GET',
      )
    },
  ),
  request(
    'put',
    { title: 'A PUT is not executed', fix: 'Accept only POST, and respond with 405 to other methods.' },
    async (trial) => {
      const { before } = trial.install().operation('INSTALL', 1)
      checkNotDone(
        trial,
        await trial.settleBytes(before.bytes, before, { delivery: { method: 'PUT' } }),
        'A PUT',
      )
    },
  ),
  request(
    'content-type',
    {
      title: 'A body that is not application/json is not executed',
      fix: 'Respond with 415 to another content type.',
    },
    async (trial) => {
      const { before } = trial.install().operation('INSTALL', 1)
      const headers = { 'content-type': 'text/plain' }
      checkNotDone(
        trial,
        await trial.settleBytes(before.bytes, before, { delivery: { headers } }),
        'A text/plain body',
      )
    },
  ),
  request(
    'refused-leaves-nothing',
    {
      title: 'A refused request does not stop the right one with the same operationId',
      fix: 'Validate before you store anything under operationId and stage.',
    },
    async (trial) => {
      const { before } = trial.install().operation('INSTALL', 1)
      const body = { ...before.request, pluginId: 'another-plugin' }
      await trial.sendBytes(Buffer.from(JSON.stringify(body)), before)
      const { answer } = await trial.settle(before)
      trial.check(isDone(answer), 'The right request was refused after a wrong one')
    },
  ),
  request(
    'deep-nesting',
    {
      title: 'A body that nests 100,000 levels does not crash the plugin',
      fix: 'Limit the nesting before you parse; never walk JSON by recursion without a limit.',
    },
    async (trial) => {
      const { before } = trial.install().operation('INSTALL', 1)
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
      const text = before.bytes.toString().replace(/"values":\{/, `"values":{"deep":${deep},`)
      await trial.sendBytes(Buffer.from(text.replace(',}', '}')), before)
      const { answer } = await trial.settle(trial.install().operation('INSTALL', 1).before)
      trial.check(answer.kind !== 'uncertain', 'The plugin no longer responds')
    },
  ),
  request(
    'large-body',
    {
      title: 'A request of 900 kB gets a definite response',
      rule: 'limits',
      fix: 'Raise the body limit of the server to 4 MiB.',
    },
    (trial) => acceptsBody(trial, 900_000),
  ),
  request(
    'largest-body',
    {
      title: 'A request of nearly 4 MiB gets a definite response',
      level: 'SHOULD',
      rule: 'limits',
      fix: 'Raise the body limit of the server to 4 MiB.',
    },
    (trial) => acceptsBody(trial, 4_000_000),
  ),
  request(
    'prototype-key',
    {
      title: 'A business value with the key __proto__ harms nothing',
      fix: 'Copy business values with a method that does not assign to __proto__.',
    },
    async (trial) => {
      const { before } = trial.install().operation('INSTALL', 1)
      const text = before.bytes
        .toString()
        .replace(/"values":\{/, '"values":{"__proto__":{"outcome":"polluted"},"constructor":{},')
      await trial.sendBytes(Buffer.from(text.replace(',}', '}')), before)
      await trial.complete(trial.install().operation('INSTALL', 1))
    },
  ),
]
