import semver from 'semver'
import { compareVersions } from '#contract/protocol/version-order.ts'
import { SeededRandom } from '../seeded-random.ts'
import type { Violation } from '../suite.ts'
import type { PartReport } from './comparison.ts'

const VERSIONS = 250
const SEED = 20_261_127
const IDENTIFIERS = [
  '0',
  '1',
  '2',
  '10',
  '11',
  'alpha',
  'beta',
  'a',
  'A',
  'rc',
  'rc1',
  'x-1',
  '-',
  '1a',
  '0a',
]
const NUMBERS = ['0', '1', '2', '9', '10', '11', '99', '100', '2147483648', '9007199254740991']

/** Each pair of generated versions, ordered by our code and by the package `semver`. */
export function compareVersionOrder(): PartReport {
  const versions = generateVersions()
  const violations: Violation[] = []
  for (const one of versions)
    for (const other of versions) {
      const [ours, theirs] = [compareVersions(one, other), semver.compare(one, other)]
      if (ours !== theirs)
        violations.push({
          promise: 'version order',
          seen: `${one} and ${other}: ${ours}, and ${theirs} in semver`,
        })
    }
  const pairs = versions.length ** 2
  return {
    line: `version order: ${pairs} pairs of versions, as semver orders them`,
    cases: pairs,
    violations,
  }
}

/** Versions that semver can read, often with numbers in common. Ours may also have fewer or more numbers, and zeros in front. */
function generateVersions(): string[] {
  const random = new SeededRandom(SEED)
  const versions = new Set<string>()
  while (versions.size < VERSIONS) {
    const numbers = Array.from({ length: 3 }, () => random.pick(NUMBERS)).join('.')
    const identifiers = Array.from({ length: random.below(4) }, () => random.pick(IDENTIFIERS)).join('.')
    const version = `${random.chance(0.1) ? 'v' : ''}${numbers}${identifiers === '' ? '' : `-${identifiers}`}`
    if (semver.valid(version) === null) throw new RangeError(`${version} is no version`)
    versions.add(version)
  }
  return [...versions]
}
