import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './process.ts'

/**
 * The folders whose test files share processes, and how many files one process has at most. More than half of the processor
 * time of a short test file goes into starting Node and into loading and compiling modules, and the files of a folder load
 * the same ones. What is not listed is long, starts programs, or tests a process under faults.
 */
const SHARED: Readonly<Record<string, number>> = {
  'bff/': 12,
  'contract/': 20,
  'http-kit/': 20,
  'packages/plugin-sdk/': 25,
  'runtime/engine/': 25,
  'runtime/keys/': 4,
  'runtime/rules/': 11,
  'runtime/store/': 4,
  'runtime/use-cases/configuration/': 10,
  'runtime/use-cases/installations/': 10,
  'runtime/use-cases/operations/': 10,
  'runtime/use-cases/references/': 10,
  'runtime/use-cases/registry/': 10,
  'runtime/worker/': 10,
  'web/': 45,
}

/** A file that changes or measures what belongs to the whole process has a process of its own. */
const OWNS_PROCESS =
  /testing-memory|standInBrowser|load-guard|process\.env\[[^\]]+\] = |delete process\.env|mock\.timers|process\.chdir/

/** How the name of a file ends that imports the test files of one process. */
export const SHARED_SUFFIX = '.shared.mjs'

const FOLDER = join(root, '.cache', 'shared-processes')

/**
 * Replaces the test files that share a process by one file that imports them.
 *
 * @param files Paths from the root.
 * @returns The files to run, those of shared processes first, because they take the longest.
 */
export function shareProcesses(files: readonly string[]): string[] {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const folderOf = (file: string) => Object.keys(SHARED).find((folder) => file.startsWith(folder))
  const ownsProcess = (file: string) => OWNS_PROCESS.test(readFileSync(join(root, file), 'utf8'))
  const groups = Map.groupBy(files, (file) => (ownsProcess(file) ? undefined : folderOf(file)))
  const alone = groups.get(undefined) ?? []
  groups.delete(undefined)
  const shared = [...groups].flatMap(([folder = '', inFolder]) => {
    const processes = Math.ceil(inFolder.length / (SHARED[folder] ?? 1))
    return Array.from({ length: processes }, (_, index) => {
      const name = `${folder.replaceAll('/', '-')}${index + 1}${SHARED_SUFFIX}`
      const path = join(FOLDER, name)
      writeShared(
        path,
        inFolder.filter((_file, at) => at % processes === index),
      )
      return relative(root, path)
    })
  })
  return [...shared, ...alone]
}

/**
 * Writes a file that imports each test file in a suite, so that hooks at the top of a test file apply to its own tests.
 * Node's `--test-isolation=none` would apply them to the tests of all files.
 */
export function writeShared(path: string, files: readonly string[]): void {
  const suites = files.map(
    (file) => `describe('${file}', () => import('${pathToFileURL(join(root, file)).href}'))\n`,
  )
  writeFileSync(path, `import { describe } from 'node:test'\n${suites.join('')}`)
}
