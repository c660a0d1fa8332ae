import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CODED_MESSAGES } from './coded-messages.ts'
import { MESSAGE_MAX } from './limits.ts'
import { fillTemplate } from './messages.ts'
import { PLATFORM_MESSAGES, platformMessage } from './platform-messages.ts'

describe('platformMessage', () => {
  it('gives the sentence with its reason and parameters', () => {
    assert.deepEqual(platformMessage('callHttpStatus', { plugin: 'crm/billing', status: 502 }), {
      message: 'Plugin crm/billing responded with HTTP status 502.',
      parameters: { reason: 'callHttpStatus', plugin: 'crm/billing', status: 502 },
    })
  })

  it('takes a value as it is, braces and dollar signs included', () => {
    const { message } = platformMessage('callInvalid', { plugin: '{problem}', problem: "$& {plugin} $'" })
    assert.equal(
      message,
      "The response of plugin {problem} is not valid: $& {plugin} $'. Fix the plugin, then retry the operation.",
    )
  })
})

it('leaves a name without a value, an inherited one too', () => {
  assert.equal(fillTemplate('{toString} {a}', { a: 1 }), '{toString} 1')
})

it('leaves room for the values in every sentence', () => {
  for (const [reason, text] of Object.entries(PLATFORM_MESSAGES))
    assert.ok(text.length < MESSAGE_MAX / 2, reason)
})

it('has each sentence with a code or an instant among those that the console fills', () => {
  for (const [reason, text] of Object.entries(PLATFORM_MESSAGES))
    if (!Object.hasOwn(CODED_MESSAGES, reason))
      assert.doesNotMatch(text, /\{(operationType|actual|until)\}/, reason)
})
