import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MASK } from '#contract/protocol/data.ts'
import { hidePlatformMaterial, holdsPlatformMaterial } from './platform-material.ts'
import { boundWork } from '../../../lab/verification/bound-work.ts'

const serviceAddresses = [
  'http://mail.internal:8080/api',
  'http://crm.internal:8080',
  'https://idp.internal/',
  'http://events.internal:9000/api',
  'http://[fd00::1]:8080/a_',
]

const material = { serviceAddresses, issuedCredentials: new Set<string>(), isPlatformPayload: () => false }

test('finds the address of a service with punctuation after it and in another spelling', () => {
  for (const [text, shown] of [
    ['Cannot reach http://mail.internal:8080/api.', 'Cannot reach @.'],
    ['POST http://mail.internal:8080/api: connection refused', 'POST @: connection refused'],
    ['GET http://crm.internal:8080: timeout', 'GET @: timeout'],
    ['http://crm.internal:8080!', '@!'],
    ['http://crm.internal:8080|x', '@|x'],
    ['http://crm.internal:8080。', '@。'],
    ['http://crm.internal:8080失败', '@'],
    ['`http://crm.internal:8080`', '`@`'],
    ['**http://crm.internal:8080**', '**@**'],
    ['http://crm.internal:8080&amp;', '@;'],
    ['Cannot reach https://idp.internal.', 'Cannot reach @.'],
    ['https://idp.internal./token', '@'],
    ['https://idp.internal!', '@!'],
    ['http://mail.internal:8080/%61pi', '@'],
    ['http://mail.internal:8080//api/send', '@'],
    ['http://mail.internal:8080/api&x', '@'],
    ['http://mail.internal:8080/api。', '@。'],
    [String.raw`{"url":"http:\/\/crm.internal:8080\/a"}`, '{"url":"@"}'],
    ['http://[fd00::1]:8080/a_/x', '@'],
    ['see http://[fd00::1]:8080/a_', 'see @_'],
  ] as const) {
    assert.equal(hidePlatformMaterial(text, material), shown.replace('@', MASK), text)
    assert.equal(holdsPlatformMaterial(text, material), true, text)
  }
})

test('leaves other addresses', () => {
  for (const text of [
    'http://events.internal:9000/apix',
    'http://events.internal:9000/api-2.',
    'http://events.internal:9000: timeout',
    'http://crm.internal:80801',
    'http://crm.internal.example:8080/',
  ]) {
    assert.equal(hidePlatformMaterial(text, material), text)
    assert.equal(holdsPlatformMaterial(text, material), false, text)
  }
})

test('judges a long text in time proportional to its length', () => {
  for (const unit of ['http://mail.internal:8080/', String.raw`http:\/`, '/', ':', '%61', '\\', '.']) {
    const text = `http://mail.internal:8080/${unit.repeat(200_000 / unit.length)}`
    const endWork = boundWork(2)
    hidePlatformMaterial(text, material)
    endWork(unit)
  }
})
