import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFiles, root } from '../process.ts'
import { REQUIREMENTS } from './requirements.ts'

/** A test that shows that requirements are met. */
export interface TaggedTest {
  /** Relative to the root. */
  file: string
  /** As it stands in the source, without the ids. */
  title: string
  /** The ids at the end of its title: `answer 429 (J01, J04)`. */
  ids: string[]
}

// a test in quotes is the sample of another test
const TEST =
  /(?<!["'`])\b(?:test|it)(?:\.\w+)?\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g
const IDS = /^(.*) \(([A-Z]\d\d(?:, [A-Z]\d\d)*)\)$/s
const TEST_FILE = /\.(?:test\.tsx?|e2e\.ts)$/

/** The tests in the text of a test file whose titles end with ids. */
export function taggedTests(file: string, text: string): TaggedTest[] {
  return [...text.matchAll(TEST)].flatMap(([, single, double, template]) => {
    const [, title, ids] = IDS.exec(single ?? double ?? template ?? '') ?? []
    return title === undefined || ids === undefined ? [] : [{ file, title, ids: ids.split(', ') }]
  })
}

/** All tests of the repository whose titles end with ids, by file. */
export function allTaggedTests(): TaggedTest[] {
  // a file with a conflict is listed several times
  return [...new Set(projectFiles())]
    .filter((file) => TEST_FILE.test(file))
    .sort()
    .flatMap((file) => taggedTests(file, readFileSync(join(root, file), 'utf8')))
}

/** What is wrong, a line each: a test that names an unknown id, and a requirement that has neither a test nor a reason. */
export function tagProblems(tests: readonly TaggedTest[]): string[] {
  const known = new Set(REQUIREMENTS.map(({ id }) => id))
  const shown = new Set(tests.flatMap(({ ids }) => ids))
  return [
    ...tests.flatMap(({ file, title, ids }) =>
      ids
        .filter((id) => !known.has(id))
        .map((id) => `${file}: "${title}" names ${id}, which is no requirement`),
    ),
    ...REQUIREMENTS.filter(({ id, open }) => open === undefined && !shown.has(id)).map(
      ({ id, level }) => `${id} (${level}) has no test that carries it, and no reason why`,
    ),
  ]
}
