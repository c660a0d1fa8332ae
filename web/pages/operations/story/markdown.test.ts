import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translator } from '../../../i18n/testing.ts'
import { operationMarkdown } from './markdown.ts'
import { supportBundle, supportBundleName } from './support-bundle.ts'
import { at, attempt, call, failure, operation, refusal, timeout } from './testing.ts'

const t = await translator('en')
const zh = await translator('zh')
const describe = (code: string) => ({ title: `Title of ${code}`, remedy: 'Fix it.' })
const link = 'https://console.example/operations/x'

const failed = operation(
  {
    state: 'FAILED',
    phase: 'AFTER_RESOURCES',
    failure: failure('MAILBOX_LOCKED', false),
    reason: 'two\nlines',
    changes: [
      {
        locator: 'staging/support-desk/MODULE/inbox',
        property: 'password',
        before: { '@type': 'Data', isSensitive: true, isSet: false },
        after: { '@type': 'Data', isSensitive: true, isSet: true },
      },
      {
        locator: 'staging/support-desk/MODULE/inbox',
        property: 'port',
        before: { '@type': 'Data', value: 25 },
        after: null,
      },
    ],
  },
  {
    before: [
      call('tenants', 10, [timeout(), timeout({ attempt: 2, startedAt: at(1000) }), attempt({ attempt: 3 })]),
    ],
    after: [call('hooks', 20, [refusal()]), call('later', 30, [])],
  },
)

test('the story as text says what failed, where, and what to do', () => {
  const text = operationMarkdown(failed, { t, link, describe })
  assert.match(text, /^# Configure support-desk: Failed\n/)
  assert.match(text, /\[01900000-0000-7000-8000-000000000001\]\(https:\/\/console\.example/)
  assert.match(text, /\*\*Title of MAILBOX_LOCKED\*\* \(`MAILBOX_LOCKED`/)
  assert.match(text, /hooks · After resources · Attempt 1, run 1/)
  assert.match(text, /bundle-runtime › hooks/)
  assert.match(text, /\*\*Reason:\*\* two lines/)
})

test('equal attempts are one line, other ones are told apart', () => {
  const text = operationMarkdown(failed, { t, link, describe })
  assert.match(text, /Attempt 1, run 1 … 2: No response, `PLUGIN_TIMEOUT`/)
  assert.match(text, /Attempt 3, run 1: Applied/)
  assert.match(text, /\*\*later\*\* \(order 30\): Not called/)
})

test('a sensitive value is only ever set or not set', () => {
  const text = operationMarkdown(failed, { t, link, describe })
  assert.match(text, /`password`: not set → set \(hidden\)/)
  assert.match(text, /`port`: `25` → not set/)
})

test('in Chinese the punctuation is Chinese, and labels stay bold', () => {
  const text = operationMarkdown(failed, { t: zh, link, describe })
  assert.match(text, /^# 配置 support-desk：失败\n/)
  assert.match(text, /\*\*状态：\*\* 失败（FAILED）/)
  assert.match(text, /第 3 次尝试（第 1 轮）：已应用，2026-11-20 10:00:00 UTC，100 毫秒/)
  assert.doesNotMatch(text, /\p{Script=Han}[,:;()]/u)
})

test('an operation that went well has no part about failure', () => {
  assert.doesNotMatch(operationMarkdown(operation(), { t, link, describe }), /Why it failed/)
})

test('the support bundle names its format, its maker and its operation', () => {
  const parts = {
    exportedBy: { id: 'u2', name: 'Ling' },
    link,
    operation: failed,
    installation: null,
    related: [],
  }
  const bundle = supportBundle(parts, new Date('2026-11-21T00:00:00Z'))
  assert.equal(bundle.format, 'bundle-console/operation')
  assert.equal(bundle.exportedAt, '2026-11-21T00:00:00.000Z')
  assert.deepEqual(JSON.parse(JSON.stringify(bundle)).operation, failed)
  assert.equal(supportBundleName(failed), 'operation-support-desk-01900000-0000-7000-8000-000000000001.json')
})
