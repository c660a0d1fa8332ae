import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { ALL_SUITES, NIGHTLY_SUITES, SUITES } from './suites.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const names = Object.keys(ALL_SUITES).sort()

test('the nightly workflow runs every suite', () => {
  const { jobs } = parse(read('.github/workflows/nightly.yml')) as {
    jobs: { verify: { strategy: { matrix: { suite: string[] } } } }
  }
  assert.deepEqual(jobs.verify.strategy.matrix.suite.sort(), names)
})

test('docs/reliability.md says of every suite when it runs', () => {
  const rows = [...read('docs/reliability.md').matchAll(/^\| `([a-z-]+)` +\| (each change|nightly) +\|/gm)]
  const running = (when: string): string[] => rows.flatMap(([, name = '', at]) => (at === when ? [name] : []))
  assert.deepEqual(running('each change').sort(), Object.keys(SUITES).sort())
  assert.deepEqual(running('nightly').sort(), Object.keys(NIGHTLY_SUITES).sort())
})
