import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Where the data of the suites is published: its files are fetched at this commit, and read only. */
export const SOURCES = [
  {
    folder: 'json-schema-test-suite',
    repository: 'json-schema-org/JSON-Schema-Test-Suite',
    commit: '44401e0c046704b476ec9d2e2fccdaee618f259d',
    paths: ['LICENSE', 'tests/draft2020-12', 'remotes'],
  },
  {
    folder: 'json-test-suite',
    repository: 'nst/JSONTestSuite',
    commit: '1ef36fa01286573e846ac449e8683f8833c5b26a',
    paths: ['LICENSE', 'test_parsing'],
  },
  {
    folder: 'yaml-test-suite',
    repository: 'yaml/yaml-test-suite',
    commit: 'ccfa74e56afb53da960847ff6e6976c0a0825709',
    paths: ['License', 'src'],
  },
  {
    folder: 'wycheproof',
    repository: 'C2SP/wycheproof',
    commit: 'dac1dd4729fd1f8dd9e1e9f3dce51d783da6c166',
    paths: ['LICENSE', 'testvectors_v1/ed25519_test.json'],
  },
  {
    folder: 'json-canonicalization',
    repository: 'cyberphone/json-canonicalization',
    commit: '19d51d7fe467d4706a3ff08adf8a748f29fc21e0',
    paths: ['LICENSE', 'testdata'],
  },
  {
    folder: 'urls',
    repository: 'servo/rust-url',
    commit: '25137be1fc1d35cc8ea7d43fc0a02166b023a483',
    paths: ['url/LICENSE-MIT', 'url/tests/urltestdata.json'],
  },
  {
    folder: 'naughty-strings',
    repository: 'minimaxir/big-list-of-naughty-strings',
    commit: 'db33ec7b1d5d9616a88c76394b7d0897bd0b97eb',
    paths: ['LICENSE', 'blns.json'],
  },
] as const

const ROOT = join(import.meta.dirname, '..', '..', '..')

/** Where `npm run verify -- --suite public --fetch` stores the data, unless `PUBLIC_SUITES` names another place. */
export const FETCHED = join(ROOT, '.cache', 'public-suites')

/**
 * The folder with the data of the suites: `PUBLIC_SUITES`, `shared/suites` beside the repository, or what was
 * fetched. Null if there is none.
 */
export function findData(): string | null {
  const named = process.env['PUBLIC_SUITES']
  const places = named === undefined ? [join(ROOT, '..', 'shared', 'suites'), FETCHED] : [named]
  return places.find((place) => SOURCES.every(({ folder }) => existsSync(join(place, folder)))) ?? null
}
