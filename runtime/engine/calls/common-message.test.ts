import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commonMessage } from './common-message.ts'

const CASES: [name: string, messages: [string, ...string[]], common: string][] = [
  ['one message is shown whole', ['No tenant 7.'], 'No tenant 7.'],
  [
    'a number that is the same in all stays',
    [
      'The license pool of tenant 12 has 0 of 25 licenses left.',
      'The license pool of tenant 9 has 0 of 25 licenses left.',
    ],
    'The license pool of tenant … has 0 of 25 licenses left.',
  ],
  [
    'an identity is one blank',
    ['Gone: 01a21c0d-9d8b-bfeb-8000-aa00.', 'Gone: 99a21c0d-1d8b-cafe-8000-bb00.'],
    'Gone: ….',
  ],
  ['ideographs are words', ['租户甲还剩3个许可', '租户乙还剩3个许可'], '租户…还剩3个许可'],
  ['another number of words', ['Value "a b" is taken.', 'Value "c" is taken.'], 'Value "…" is taken.'],
  ['more words at the end', ['Busy', 'Busy now'], 'Busy'],
]
for (const [name, messages, common] of CASES) test(name, () => assert.equal(commonMessage(messages), common))
