import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../process.ts'
import { readResults, withTables } from './page.ts'
import { runTaggedTests } from './run-tagged.ts'
import { allTaggedTests, tagProblems } from './tagged-tests.ts'

// Writes the tables of docs/security.md: the requirements, the tests that carry them, and the results of the last run. With
// --run it runs these tests first; with --check it only verifies that the page is up to date and no requirement is without a test.

const PAGE = join(root, 'docs', 'security.md')

const tests = allTaggedTests()
const problems = tagProblems(tests)
const text = readFileSync(PAGE, 'utf8')
if (process.argv.includes('--check')) {
  if (withTables(text, tests, readResults(text)) !== text) {
    problems.push('docs/security.md is out of date: run "npm run security"')
  }
} else {
  const results = process.argv.includes('--run') ? await runTaggedTests(tests) : readResults(text)
  writeFileSync(PAGE, withTables(text, tests, results))
  for (const [id, { state }] of results) if (state === 'failed') problems.push(`a test of ${id} failed`)
}
for (const problem of problems) console.error(problem)
process.exit(problems.length > 0 ? 1 : 0)
