import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compareVersions, isDowngrade, newestVersion } from './version-order.ts'

const ASCENDING = [
  '0.0.0-alpha',
  '0',
  '0.9.10',
  '1.0.0-1',
  '1.0.0-2',
  '1.0.0-10',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-alpha-1',
  '1.0.0-beta',
  '1.0.0-rc.2',
  '1.0.0-rc.10',
  '1.0.0',
  '1.0.0.1',
  '1.0.1-rc.1',
  '1.2.0',
  '1.9.9',
  '1.10.0',
  'v2',
  '10.0.0',
  '2024.05.01',
  '123456789012345678901234567890.0.0',
]

describe('the order of versions', () => {
  it('is that of semantic versions', () => {
    for (const [at, version] of ASCENDING.entries())
      for (const [place, other] of ASCENDING.entries())
        assert.equal(Math.sign(compareVersions(version, other)), Math.sign(at - place), `${version} ${other}`)
  })

  it('ignores insignificant zeros and a leading v', () => {
    for (const [a, b] of [
      ['1', '1.0.0'],
      ['1.2', 'v1.2.0'],
      ['01.002', '1.2'],
      ['1.0-01', '1-1'],
    ] as const)
      assert.equal(compareVersions(a, b), 0, `${a} ${b}`)
  })

  it('does not order opaque versions; they precede every semantic one', () => {
    for (const opaque of ['spring', '1.0rc1', '1_0', '1.', 'v', '1.0-', '1.0.-a', '1.0-a..b', '~1'])
      for (const [other, sign] of [
        ['autumn', 0],
        ['0.0.0-0', -1],
      ] as const)
        assert.equal(compareVersions(opaque, other), sign, opaque)
  })

  it('recognizes a downgrade from the versions alone', () => {
    assert.equal(isDowngrade('1.10.0', '1.9.0'), true)
    assert.equal(isDowngrade('1.9.0', '1.10.0'), false)
    assert.equal(isDowngrade('1.0', '1.0.0'), false)
    assert.equal(isDowngrade('spring', 'autumn'), false)
    assert.equal(isDowngrade(null, '1.0.0'), false)
  })
})

describe('the newest version', () => {
  const published = (...versions: string[]) =>
    versions.map((version, day) => ({ version, publishedAt: `2026-01-0${day + 1}T00:00:00.000Z` }))
  const cases: [string[], string | undefined][] = [
    [['1.0.0', '2.0.0', '1.0.1'], '2.0.0'],
    [['1.0.0', '2.0.0-rc.1'], '1.0.0'],
    [['2.0.0-rc.1', '2.0.0-beta.2'], '2.0.0-rc.1'],
    [['spring', '1.0.0-beta', 'summer'], '1.0.0-beta'],
    [['winter', 'spring', 'autumn'], 'autumn'],
    [['1.0', '1.0.0'], '1.0.0'],
    [[], undefined],
  ]
  for (const [versions, newest] of cases)
    it(`of ${versions.join(', ')} is ${newest}`, () => {
      assert.equal(newestVersion(published(...versions))?.version, newest)
      assert.equal(newestVersion(published(...versions).toReversed())?.version, newest)
    })
})
