import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isExactNumber } from './json.ts'
import { boundWork } from '../../lab/verification/bound-work.ts'

/** The rule itself, in whole numbers: value × 10^scale of both texts. */
function isEqualDecimal(one: string, other: string): boolean {
  const parts = [one, other].map((text) => {
    const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
    const [whole = '', fraction = ''] = mantissa.split('.')
    return {
      digits: BigInt(whole + fraction),
      sign: mantissa.startsWith('-') ? -1n : 1n,
      exponent: Number(exponent) - fraction.length,
    }
  })
  const least = Math.min(...parts.map(({ exponent }) => exponent))
  const [first, second] = parts.map(({ digits, exponent }) => digits * 10n ** BigInt(exponent - least))
  return first === second
}

describe('isExactNumber', () => {
  const kept = [
    '0', '-0', '0.0', '0e999999999999', '1', '1.0', '100', '1e2', '1E+2', '0.1', '-0.5', '1e-7', '1e21', '1e22',
    '9007199254740992', '9007199254740991.0', '-9007199254740992', '34023856717831150', '18446744073709552000',
    '1.7976931348623157e308', '5e-324', '2.2250738585072014e-308', '0.30000000000000004', '12345678901234567000e0',
    `1${'0'.repeat(300)}`, `0.${'0'.repeat(300)}1`, `1${'0'.repeat(400)}e-400`, `0.${'0'.repeat(400)}1e401`,
  ] // prettier-ignore
  const changed = [
    '9007199254740993', '9007199254740993.0', '9.007199254740993e15', '9007199254740992.5', '18446744073709551616',
    '9223372036854775807', '9223372036854775808', '1152921504606846976', '12345678901234567890.0',
    '12345678901234567891e0', '12345678901234567890123', '0.1234567890123456789', '12345678901234567.5', '1e-400',
    '-1e-400', '1e400', '-1e400', '4e-324', '1.7976931348623158e308', '0.30000000000000003', '1e-99999999999999999999',
    '1e99999999999999999999', '5.0000000000000000000001e-324', `1${'0'.repeat(300)}1`, '-9007199254740993',
  ] // prettier-ignore
  for (const text of kept) it(`keeps ${text.slice(0, 30)}`, () => assert.ok(isExactNumber(text)))
  for (const text of changed) it(`would change ${text.slice(0, 30)}`, () => assert.ok(!isExactNumber(text)))

  it('keeps every number as JSON writes it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
        isExactNumber(JSON.stringify(value)),
      ),
      { numRuns: 5000 },
    )
  })

  it('compares the decimal value that was written with the one that JSON writes', () => {
    const digits = (maxLength: number) =>
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength }).map((all) => all.join(''))
    const number = fc.record({
      sign: fc.constantFrom('', '-'),
      whole: digits(22).map((text) => text.replace(/^0+(?=\d)/, '')),
      fraction: fc.option(digits(22), { nil: null }),
      exponent: fc.option(fc.integer({ min: -330, max: 310 }), { nil: null }),
    })
    fc.assert(
      fc.property(number, ({ sign, whole, fraction, exponent }) => {
        const text = `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`
        const value = Number(text)
        const expected = Number.isFinite(value) && isEqualDecimal(text, String(value))
        assert.equal(isExactNumber(text), expected, text)
      }),
      { numRuns: 5000 },
    )
  })

  it('takes time in proportion to the length', () => {
    const endWork = boundWork(2)
    assert.ok(!isExactNumber(`0.${'0'.repeat(1_000_000)}1`))
    assert.ok(!isExactNumber('9'.repeat(1_000_000)))
    endWork()
  })
})
