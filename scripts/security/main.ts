import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../process.ts'
import { readResults, withTables } from './page.ts'
import { runTaggedTests } from './run-tagged.ts'
import { allTaggedTests, tagProblems } from './tagged-tests.ts'

// Writes the tables of docs/security.md: the requirements, the tests that carry them, and the results of the last run. With
// --run it runs these tests first, or those of the requirements that are named after it; with --check it only verifies that the page is up to date and no requirement is without a test.

const PAGE = join(root, 'docs', 'security.md')

const tests = allTaggedTests()
const problems = tagProblems(tests)
const text = readFileSync(PAGE, 'utf8')
if (process.argv.includes('--check')) {
  if (withTables(text, tests, readResults(text)) !== text) {
    problems.push('docs/security.md is out of date: run "npm run security"')
  }
} else {
  const results = readResults(text)
  const named = process.argv.slice(2).filter((argument) => /^[A-Z]\d\d$/.test(argument))
  const isMeant = (id: string) => named.length === 0 || named.includes(id)
  if (process.argv.includes('--run'))
    for (const [id, result] of await runTaggedTests(tests.filter(({ ids }) => ids.some(isMeant))))
      if (isMeant(id)) results.set(id, result)
  writeFileSync(PAGE, withTables(text, tests, results))
  for (const [id, { state }] of results) if (state === 'failed') problems.push(`a test of ${id} failed`)
}
for (const problem of problems) console.error(problem)
process.exit(problems.length > 0 ? 1 : 0)
