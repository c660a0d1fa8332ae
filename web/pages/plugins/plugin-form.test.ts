import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translator } from '../../i18n/testing.ts'
import { NO_RUNBOOK, pluginBodyOf, pluginFieldOf, pluginFormOf, pluginSchema } from './plugin-form.ts'

const schema = pluginSchema(await translator('en'))
const form = {
  ...pluginFormOf(null),
  pluginId: 'mailer',
  title: ' Mailer ',
  endpoint: 'https://mailer.example.com',
}

const wrongFields = (values: typeof form) =>
  (schema.safeParse(values).error?.issues ?? []).map(({ path }) => path.join('.'))

test('every invalid field is reported at once', () => {
  assert.deepEqual(wrongFields(form), [])
  assert.deepEqual(
    wrongFields({ ...pluginFormOf(null), timeoutMs: '99', maxAttempts: '1.5', ownerContact: 'tel:1' }),
    ['pluginId', 'title', 'endpoint', 'ownerContact', 'timeoutMs', 'maxAttempts', 'ownerTeam'],
  )
})

test('empty fields are not sent, so that the default applies and no reason is recorded', () => {
  const required = { title: 'Mailer', endpoint: 'https://mailer.example.com', enabled: true }
  assert.deepEqual(pluginBodyOf({ ...form, timeoutMs: ' ', reason: ' ' }), required)
  assert.deepEqual(pluginBodyOf({ ...form, maxAttempts: ' 3 ', reason: ' A new address ' }), {
    ...required,
    maxAttempts: 3,
    reason: 'A new address',
  })
})

test('editing a plugin without changes sends it unchanged', () => {
  const registration = {
    title: 'Mailer',
    endpoint: 'https://mailer.example.com',
    enabled: false,
    version: '1.2.0',
    timeoutMs: 900,
    owner: { team: 'Messaging', contact: 'mailto:messaging@example.com' },
    runbooks: [
      { errorCode: 'BUSY', title: 'Wait', text: 'Until morning', owner: { team: 'Night shift' } },
      { errorCode: 'QUOTA_USED_UP', title: 'Raise the quota', url: 'https://wiki.example.com/?quota' },
    ],
    links: { traces: 'https://traces.example.com/{traceId}' },
  }
  const updatedAt = '2026-11-20T08:00:00.000Z'
  const body = pluginBodyOf(
    pluginFormOf({
      ...registration,
      pluginId: 'mailer',
      credentials: [],
      check: 'NONE',
      retired: null,
      updatedAt,
    }),
  )
  assert.deepEqual(body, registration)
})

test('each error of a runbook or a link is at its field, also if the server found it', () => {
  const runbook = { ...NO_RUNBOOK, errorCode: 'BUSY', title: 'Wait', text: 'Until morning' }
  assert.deepEqual(wrongFields({ ...form, runbooks: [runbook] }), [])
  assert.deepEqual(
    wrongFields({
      ...form,
      runbooks: [runbook, { ...runbook, url: 'javascript:1' }, { ...NO_RUNBOOK, errorCode: 'busy' }],
      logsLink: 'https://{from}.example.com',
    }),
    [
      'runbooks.1.url',
      'runbooks.2.errorCode',
      'runbooks.2.title',
      'runbooks.2.url',
      'runbooks.1.errorCode',
      'logsLink',
    ],
  )
  for (const [path, field] of [
    ['body.runbooks.2.owner.team', 'runbooks.2.ownerTeam'],
    ['body.runbooks.0.url', 'runbooks.0.url'],
    ['body.links.logs', 'logsLink'],
    ['body.owner.contact', 'ownerContact'],
    ['body.title', null],
  ] as const)
    assert.equal(pluginFieldOf(path), field)
})
