import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { MASK } from '#contract/protocol/data.ts'
import { maskStrings, Scrubber, secretsInHeaders } from './scrub.ts'
import { boundWork } from '../../lab/verification/bound-work.ts'

const SECRET = 's3cret/+"value"-ÿ'

describe('Scrubber', () => {
  it('finds a value in plain and in common encodings, anywhere in a text (H02)', () => {
    const scrubber = new Scrubber()
    scrubber.add(SECRET)
    const bytes = Buffer.from(SECRET)
    const forms = [
      SECRET,
      JSON.stringify({ SECRET }),
      encodeURIComponent(SECRET),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      Buffer.from(`user:${SECRET}`).toString('base64'),
      Buffer.from(`user1:${SECRET}`).toString('base64'),
      Buffer.from(`user12:${SECRET}`).toString('base64url'),
    ]
    for (const form of forms) {
      const clean = scrubber.scrub(`before ${form} after`)
      assert.ok(clean.includes(MASK), form)
      assert.ok(clean.startsWith('before ') && clean.endsWith(' after'))
      assert.ok(!clean.includes(form), form)
    }
    assert.equal(scrubber.scrub('s3cret/+ alone'), 's3cret/+ alone')
  })

  it('finds a value however it is spelled: in another case, split, escaped in several ways (H02)', () => {
    const scrubber = new Scrubber()
    scrubber.add(SECRET)
    const bytes = Buffer.from(SECRET)
    const every = (write: (byte: number) => string) => [...bytes].map((byte) => write(byte)).join('')
    const hex = (byte: number) => byte.toString(16).padStart(2, '0')
    const base64 = Buffer.from(`{"token":"${SECRET}","more":"${'x'.repeat(60)}"}`).toString('base64')
    const forms: Record<string, string> = {
      'upper case': SECRET.toUpperCase(),
      'lower case': SECRET.toLowerCase(),
      'every byte escaped for a URL': every((byte) => `%${hex(byte)}`),
      'escaped in upper case': every((byte) => `%${hex(byte).toUpperCase()}`),
      'escaped twice': encodeURIComponent(every((byte) => `%${hex(byte)}`)),
      'escaped for a URL, then for HTML': encodeURIComponent(SECRET).replaceAll('%', '&#37;'),
      'with HTML entities': [...SECRET].map((one) => `&#x${one.codePointAt(0)?.toString(16)};`).join(''),
      'with decimal entities': [...SECRET].map((one) => `&#${one.codePointAt(0)};`).join(''),
      'with JSON escapes': [...SECRET]
        .map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join(''),
      'as JSON in JSON': JSON.stringify(JSON.stringify(SECRET)),
      'as quoted-printable': every((byte) => `=${hex(byte).toUpperCase()}`),
      'as bytes of JavaScript': every((byte) => `\\x${hex(byte)}`),
      'hexadecimal with colons': every((byte) => `${hex(byte)}:`),
      'hexadecimal in mixed case': every((byte) => hex(byte).replace(/[a-f]/, (one) => one.toUpperCase())),
      'split over two lines': `${SECRET.slice(0, 7)}\n${SECRET.slice(7)}`,
      'with spaces': [...SECRET].join(' '),
      'with invisible characters': [...SECRET].join('\u200b'),
      'base64 in short lines': base64.replaceAll(/(.{20})/g, '$1\r\n'),
    }
    for (const [name, form] of Object.entries(forms)) {
      const clean = scrubber.scrub(`before <${form}> after`)
      assert.ok(clean.includes(MASK), name)
      assert.ok(clean.startsWith('before ') && clean.endsWith(' after'), `${name}: ${clean}`)
      const left = clean.replace(/^before </, '').replace(/> after$/, '')
      if (name !== 'base64 in short lines') assert.ok(left.length < form.length / 2 + 20, `${name}: ${clean}`)
      assert.ok(scrubber.contains(form), name)
    }
    for (const harmless of ['%zz&#99999999;', 'a % sign & more \\u', 's3cret', '2026-11-28T21:25:56Z'])
      assert.equal(scrubber.scrub(harmless), harmless)
  })

  it('does not find a number in times and sizes', () => {
    const scrubber = new Scrubber()
    scrubber.add('20261128')
    assert.equal(scrubber.scrub('2026-11-28T21:25:56Z'), '2026-11-28T21:25:56Z')
    assert.equal(scrubber.scrub('at 20261128.'), `at ${MASK}.`)
  })

  it('keeps a needle that two values share until both are removed', () => {
    const scrubber = new Scrubber()
    scrubber.add('Shared-Value-1')
    scrubber.add('shared value 1')
    scrubber.remove('shared value 1')
    assert.equal(scrubber.scrub('SHARED_VALUE_1'), MASK)
    scrubber.remove('Shared-Value-1')
    assert.equal(scrubber.scrub('SHARED_VALUE_1'), 'SHARED_VALUE_1')
  })

  it('forgets removed values and ignores short ones', () => {
    const scrubber = new Scrubber()
    scrubber.add('shorter')
    scrubber.add('long enough')
    scrubber.add('long enough too')
    assert.equal(scrubber.scrub('shorter, long enough too'), `shorter, ${MASK}`)
    scrubber.remove('long enough too')
    scrubber.remove('long enough')
    assert.equal(scrubber.scrub('long enough too'), 'long enough too')
  })

  it('stays fast with many secrets and long texts', () => {
    const scrubber = new Scrubber()
    for (let index = 0; index < 25_000; index++) scrubber.add(`token-${index}-${index * 7919}`)
    const endWork = boundWork(0.5)
    scrubber.scrub('an ordinary line of a log '.repeat(4000))
    endWork()
  })
})

describe('maskStrings', () => {
  it('masks whole strings, keys and numbers that contain a sensitive value', () => {
    const json = { note: `key is ${SECRET}`, list: [SECRET, 'fine', 4711, 42], [SECRET]: true, n: null }
    assert.deepEqual(maskStrings(json, [SECRET, 4711, { deep: ['pass'] }]), {
      note: MASK,
      list: [MASK, 'fine', MASK, 42],
      [MASK]: true,
      n: null,
    })
    assert.equal(maskStrings('my password', ['pass']), MASK)
  })

  it('stays fast with many short secrets and many strings', () => {
    const list = (name: string): string[] =>
      Array.from({ length: 20_000 }, (_, index) => `${name}${index + 10_000}`)
    const endWork = boundWork(2)
    assert.deepEqual(maskStrings([...list('answer '), 'a k12345'], [list('k')]), [...list('answer '), MASK])
    endWork()
  })

  it('masks too much rather than to search for long, also where secrets begin like the text (J01)', () => {
    const endWork = boundWork(4)
    const alike = Array.from({ length: 4_000 }, (_, index) => `${'a'.repeat(8)}b${index}`)
    assert.equal(maskStrings('a'.repeat(200_000), [alike]), MASK)
    assert.equal(maskStrings('a'.repeat(1_000_000), [`${'a'.repeat(200_000)}b`]), MASK)
    // what begins like none of them is still shown
    assert.deepEqual(maskStrings(['a'.repeat(200_000), 'fine'], [alike]), [MASK, 'fine'])
    endWork()
  })

  it('masks every text if there are more secrets than it can prepare (H02)', () => {
    const secrets = Array.from({ length: 30_000 }, (_, index) => `secret number ${index}`)
    assert.deepEqual(maskStrings({ k: ['it is secret number 3', 'on', 7] }, [secrets]), {
      k: [MASK, 'on', 7],
    })
    assert.equal(maskStrings('it is secret number 3', ['x'.repeat(2_000_000)]), MASK)
  })

  it('prepares the secrets of an operation once, and again when there are more (J01)', () => {
    const secrets: JsonValue[] = Array.from({ length: 4_000 }, (_, index) => `secret number ${index}`)
    const endWork = boundWork(4)
    for (let time = 0; time < 100; time++) {
      assert.equal(maskStrings('secret number 1', secrets), MASK)
      assert.equal(maskStrings('fine', secretsInHeaders(secrets)), 'fine')
    }
    endWork()
    secrets.push('another one')
    assert.equal(maskStrings('another one', secrets), MASK)
    assert.equal(maskStrings('another one', secretsInHeaders(secrets)), MASK)
  })

  it('masks a very short value only if it is the whole string', () => {
    assert.deepEqual(maskStrings(['a', 'banana', ''], ['a', '']), [MASK, 'banana', ''])
    const same = { a: 1 }
    assert.equal(maskStrings(same, []), same)
  })
})
