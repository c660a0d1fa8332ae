import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MASK } from '#contract/protocol/data.ts'
import { maskStrings, Scrubber } from './scrub.ts'

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
    const before = process.cpuUsage()
    scrubber.scrub('an ordinary line of a log '.repeat(4000))
    assert.ok(process.cpuUsage(before).user < 500_000)
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

  it('masks a very short value only if it is the whole string', () => {
    assert.deepEqual(maskStrings(['a', 'banana', ''], ['a', '']), [MASK, 'banana', ''])
    const same = { a: 1 }
    assert.equal(maskStrings(same, []), same)
  })
})
