import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { translator } from '../../../../i18n/testing.ts'
import { operationMarkdown } from './markdown.ts'
import { plainText } from './plain-text.ts'
import { at, attempt, call, failure, operation, refusal, timeout } from '../calls/testing.ts'

const t = await translator('en')
const zh = await translator('zh')
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

test('the text says what failed, where, and what to do', () => {
  const text = operationMarkdown(failed, { t, link })
  assert.match(text, /^# Configure support-desk: Failed\n/)
  assert.match(text, /\[01900000-0000-7000-8000-000000000001\]\(https:\/\/console\.example/)
  assert.match(text, /\*\*It was MAILBOX_LOCKED\.\*\* \(`MAILBOX_LOCKED`/)
  assert.match(text, /hooks · After resources · Attempt 1, run 1/)
  assert.match(text, /bundle-runtime › hooks/)
  assert.match(text, /\*\*Reason:\*\* two lines/)
  const end = { finishedAt: '2026-11-24T13:34:32.000Z' }
  assert.match(
    operationMarkdown({ ...failed, ...end }, { t, link }),
    /\*\*Failed at:\*\* 2026-11-24 13:34:32 UTC/,
  )
})

test('the text has what changed before the failure, with the reason, and what is hidden', () => {
  const change = {
    kind: 'plugin.save' as const,
    at: at(-5000),
    by: { id: 'ada', name: 'Ada' },
    reason: 'SEC-77 until Thursday',
    subject: 'hooks',
    link: null,
    during: true,
    changes: [],
  }
  const context = {
    lastGood: null,
    since: at(-9000),
    causes: [change, { ...change, by: null, reason: null, subject: '', during: false }],
    hasMore: false,
    valuesRead: [],
    referrers: { items: [], hasMore: false },
  }
  const text = operationMarkdown(failed, { t, link, context })
  assert.match(text, /UTC: Ada .*`?hooks`?.*SEC-77 until Thursday/)
  assert.doesNotMatch(operationMarkdown(failed, { t, link }), /SEC-77/)
})

test('the text says who decided what stands in the way, as the page does, and not to undo it without them', () => {
  const revoked = { ...failed, nextStep: { ...failed.nextStep, action: 'CREATE_CREDENTIAL' as const } }
  const context = {
    lastGood: null,
    since: at(-9000),
    causes: [
      {
        kind: 'plugin.credential.revoke' as const,
        at: at(-5000),
        by: { id: 'ada', name: 'Ada' },
        reason: 'INC-7',
        subject: 'hooks',
        link: null,
        during: false,
        changes: [],
      },
    ],
    hasMore: false,
    valuesRead: [],
    referrers: { items: [], hasMore: false },
  }
  const remedy = (text: string) => text.split('\n').find((line) => line.startsWith('- **What to do'))
  assert.match(
    remedy(operationMarkdown(revoked, { t, link, context })) ?? '',
    /Ada revoked a credential of the plugin .* UTC\. Reason: INC-7\. Check with them\./,
  )
  // nothing is known of who may have
  assert.match(remedy(operationMarkdown(revoked, { t, link })) ?? '', /Ask an administrator/)
})

test('the next step is as definite as on the page, and no message asks to enable what a person disabled', () => {
  const gone = {
    ...failed,
    failure: {
      ...failure('PLUGIN_NOT_REGISTERED', true),
      message: 'Plugin hooks is not registered or is disabled.',
      parameters: { reason: 'pluginNotRegistered', plugin: 'hooks' },
    },
    nextStep: { ...failed.nextStep, actor: 'ADMINISTRATOR' as const, action: 'REGISTER_PLUGIN' as const },
  }
  const disabled = { '@type': 'Data' as const, value: false }
  const context = {
    lastGood: null,
    since: at(-9000),
    causes: [
      {
        kind: 'plugin.save' as const,
        at: at(-5000),
        by: { id: 'ada', name: 'Ada' },
        reason: 'SEC-77',
        subject: 'hooks',
        link: null,
        during: false,
        changes: [
          { locator: '', property: 'enabled', before: { ...disabled, value: true }, after: disabled },
        ],
      },
    ],
    hasMore: false,
    valuesRead: [],
    referrers: { items: [], hasMore: false },
  }
  const text = operationMarkdown(gone, { t, link, context })
  assert.match(text, /Next step:\*\* Administrator: Decide with Ada whether to enable the plugin/)
  assert.doesNotMatch(text, /is not registered or is disabled/)
})

test('the text has the effect, who acts, whether a retry can help, and what this platform refused', () => {
  const refused = {
    ...failed,
    retryHelps: 'AFTER_CHANGE' as const,
    failure: {
      ...failure('CREDENTIAL_REVOKED', false),
      errorPath: ['bundle-runtime', 'hooks', 'module-plugin-manager'],
      refusedHere: {
        at: at(2000),
        endpoint: 'RESOLVE' as const,
        rule: 'SERVICE_DISABLED' as const,
        code: 'REFERENCE_NOT_RESOLVABLE',
        service: 'mail',
      },
      retryFrom: at(9000),
    },
  }
  const text = operationMarkdown(refused, { t, link })
  for (const line of [
    /- \*\*Effect on the installation:\*\* .*new configuration/,
    /- \*\*State of the changes:\*\* Done: tenants/,
    /- \*\*Next step:\*\* /,
    /- \*\*Can a retry help\?\*\* Only after the cause is fixed/,
    /refused .*hooks.*mail/,
    /not to be called again before/,
  ])
    assert.match(text, line)
})

test('equal attempts are one line, and different ones are separate', () => {
  const text = operationMarkdown(failed, { t, link })
  assert.match(text, /Attempt 1, run 1 … 2: No response, `PLUGIN_TIMEOUT`/)
  assert.match(text, /Attempt 3, run 1: Applied/)
  assert.match(text, /\*\*later\*\* \(order 30\): Not called/)
})

test('a call whose attempts were removed has its outcome', () => {
  const old = operation(
    { attemptsRemoved: true },
    { before: [{ ...call('hooks', 10, []), outcome: 'APPLIED' }] },
  )
  assert.match(operationMarkdown(old, { t, link }), /\*\*hooks\*\* \(order 10\): Applied/)
})

test('a sensitive value is only shown as set or not set', () => {
  const text = operationMarkdown(failed, { t, link })
  assert.match(text, /`password`: not set → set \(hidden\)/)
  assert.match(text, /`port`: `25` → not set/)
})

test('in Chinese, the punctuation is Chinese, and labels stay bold', () => {
  const text = operationMarkdown(failed, { t: zh, link })
  assert.match(text, /^# 配置 support-desk：失败\n/)
  assert.match(text, /\*\*状态：\*\* 失败（FAILED）/)
  assert.match(text, /第 3 次尝试（第 1 轮）：已应用，2026-11-20 10:00:00 UTC，100 毫秒/)
  assert.doesNotMatch(text, /\p{Script=Han}[,:;()]/u)
})

test('a successful operation has no failure section', () => {
  assert.doesNotMatch(operationMarkdown(operation(), { t, link }), /Why it failed/)
})

const HOSTILE = [
  '[Sign in](https://evil.example)![](https://evil.example/pixel) @all <img src=x>',
  '` @all `` [a](b) ``` <b>`',
  'a`](https://evil.example) @all',
  '\\` \\[a](https://evil.example)',
  'one\n\n# two\r\n- three\u2028[four](https://evil.example)\u0085<five>',
  '| a | b |\n|---|---|\n| [c](https://evil.example) | @all |',
  '</code></pre><script>alert(1)</script>',
  'https://evil.example www.evil.example mailto:a@evil.example #1 !2 ~3',
  '~~~\n[a]: https://evil.example\n[a]',
  '&#91;a&#93;(https://evil.example) &lt;img&gt; <!-- ',
  '\u202egnp.elif \u2066[a](https://evil.example)',
  '- [ ] task',
]

test('text from elsewhere creates no link, image, mention, HTML or new line (C06)', () => {
  const lineCount = operationMarkdown(failed, { t, link }).split('\n').length
  for (const hostile of HOSTILE) {
    const { installation } = failed
    const example: OperationDetail = {
      ...failed,
      reason: hostile,
      requestedBy: { id: hostile, name: hostile },
      failure: { errorCode: hostile, message: hostile, retryable: false, errorPath: [hostile, hostile] },
      installation: { ...installation, bundle: { ...installation.bundle, bundleId: hostile } },
      targetVersion: hostile,
      changes: failed.changes.map((change) => ({
        ...change,
        locator: hostile,
        property: hostile,
        after: { '@type': 'Data', value: hostile },
      })),
      stages: failed.stages.map((stage) => ({
        ...stage,
        calls: stage.calls.map((one) => ({
          ...one,
          pluginId: hostile,
          attempts: one.attempts.map((made) => ({
            ...made,
            failure: made.failure && { ...made.failure, errorCode: hostile },
          })),
        })),
      })),
    }
    const text = operationMarkdown(example, {
      t,
      link: `${link}?a=)[b](https://evil.example)<img>\u0060#)[c](d)`,
    })
    assert.equal(text.split('\n').length, lineCount, hostile)
    assert.doesNotMatch(text, /[\u2028\u2029\u0085\u202e\u2066]/)
    // only our own text is outside code spans
    const alive = text.replaceAll(/`[^`]+`/g, '')
    assert.equal(alive.split('](').length, 2, alive)
    assert.match(
      alive,
      /\[01900000-0000-7000-8000-000000000001\]\(https:\/\/console\.example\/[^\s()[\]<>`]*\)/,
    )
    const rest = alive.replace(/\(https:\/\/console\.example\/[^)]*\)/, '')
    assert.doesNotMatch(rest, /[@<`~|!&\\]|:\/\/|www\.|evil/, hostile)
  }
})

test('harmless text is not escaped', () => {
  for (const text of [
    'It failed: MAILBOX_LOCKED, status 500.',
    '收件箱已锁定。',
    'Ünïcode, “quoted”; see 10.2.3: why?',
  ])
    assert.equal(plainText(text), text)
  assert.equal(plainText(' two\n lines '), 'two lines')
  assert.equal(plainText('_emphasis_'), '`_emphasis_`')
  assert.equal(plainText(''), '')
})

test('the text has the HTTP status and message of attempts, and who retried, stopped or took over, and why', () => {
  const by = { id: 'sam', name: 'Sam' }
  const history = {
    retries: [
      {
        run: 2,
        startedAt: at(2000),
        startedBy: by,
        reason: '[x](javascript:1)',
        failedAt: at(1000),
        failure: { ...failure('BUSY', true), stopped: { by, reason: '<b>enough</b>' } },
      },
    ],
    takeover: { at: at(3000), by: { id: 'olivia', name: 'Olivia' }, reason: 'Ticket 4711' },
  }
  const text = operationMarkdown({ ...failed, ...history }, { t, link })
  assert.match(text, /Attempt 1, run 1: Failed, `MAILBOX_LOCKED`, HTTP 200, .* – `?It was MAILBOX_LOCKED\./)
  assert.match(text, /- Run 2, Sam, 2026-11-20 10:00:02 UTC: `\[x\]\(javascript:1\)`/)
  assert.match(
    text,
    /Run 1 failed: `?It was BUSY\.`?\n {2}- Sam stopped the automatic retries\. Reason: `<b>enough<\/b>`/,
  )
  assert.match(text, /- Taken over by, Olivia, .*: Ticket 4711/)
})

test('notes are text and nothing else, and the assignee is named', () => {
  const texts = ['<b>x</b>', '[a](javascript:alert(1))', '**bold** @all #12', '# title\n- item']
  const author = { id: 'u2', name: 'Ling *Zhao*' }
  const notes = texts.map((text, index) => ({ number: index + 1, author, at: at(0), text }))
  const text = operationMarkdown(operation({ assignee: author, notes }), { t, link })
  assert.match(text, /\*\*Assignee:\*\* `Ling \*Zhao\*`/)
  assert.match(text, /## Notes\n- `Ling/)
  for (const line of ['`<b>x</b>`', '`[a](javascript:alert(1))`', '`**bold** @all #12`', '`# title - item`'])
    assert.ok(text.includes(`: ${line}`), line)
})

test('attempts whose results alternate are three lines, with the count of each result', () => {
  const attempts = Array.from({ length: 40 }, (_, index) =>
    (index % 2 === 0 ? timeout : refusal)({ attempt: index + 1, startedAt: at(index * 1000) }),
  )
  const text = operationMarkdown(operation({ state: 'FAILED' }, { before: [call('hooks', 1, attempts)] }), {
    t,
    link,
  })
  const lines = text.split('\n').filter((line) => line.startsWith('  - '))
  assert.equal(lines.length, 3)
  assert.match(lines[0] ?? '', /Attempt 1, run 1: No response/)
  assert.match(lines[1] ?? '', /Attempt 2, run 1 … 39: 19× .*`MAILBOX_LOCKED`, 19× .*`PLUGIN_TIMEOUT`/)
  assert.match(lines[2] ?? '', /Attempt 40, run 1/)
})

test('the text has the second step, if somebody else than support acts first', () => {
  const nextStep = {
    ...failed.nextStep,
    actor: 'PLUGIN_OWNER' as const,
    action: 'FIX_CAUSE' as const,
    afterwards: { actor: 'SUPPORT' as const, action: 'RETRY' as const },
  }
  assert.match(
    operationMarkdown({ ...failed, nextStep }, { t, link }),
    /\*\*Next step:\*\* Plugin owner: Find and fix the cause, then Support: Retry the operation/,
  )
  assert.match(operationMarkdown({ ...failed, nextStep }, { t: zh, link }), /之后由支持工程师重试操作/)
})

test('the text names the retired plugins whose earlier calls may still have an effect', () => {
  const unknown = {
    ...call('hooks', 1, [attempt({ outcome: 'NOT_APPLIED', byPlatform: true })]),
    effectUnknown: true as const,
  }
  const detached = operation(
    { state: 'SUCCEEDED', operationType: 'DETACH' },
    { before: [unknown], after: [unknown] },
  )
  assert.match(operationMarkdown(detached, { t, link }), /An earlier call of hooks has an unknown result/)
  assert.match(operationMarkdown(detached, { t: zh, link }), /对 hooks 的一次调用结果不明/)
})
