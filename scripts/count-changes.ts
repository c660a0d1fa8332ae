import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFiles, root } from './process.ts'

// Counts the files that a change of each kind touches, as docs/architecture.md lists them: an example of the kind that is there
// already, and the files that name it. An example that no file by hand names fails the command.

interface Example {
  change: string
  /** What the change added that is the example. */
  example: string
  /** As the files spell it. */
  names: RegExp
  /** A folder in which every file belongs to the example. */
  folder?: string
  /** Files that only use the example, which are not counted: without them it would be there too. */
  users?: RegExp
  goal: number
}

const EXAMPLES: readonly Example[] = [
  {
    change: 'a filter of a list',
    example: 'installations by safeguard',
    names: /\bsafeguard\b(?!-)/,
    goal: 6,
  },
  {
    change: 'a write endpoint',
    example: 'stop retrying an operation',
    names: /stop-retrying|stopRetrying|failWaiting/,
    users: /^web\/pages\//,
    goal: 7,
  },
  {
    change: 'a page',
    example: 'on duty',
    names: /DutyPage|'\/duty'|'duty\.title'/,
    // the menu, which has few of the pages
    users: /^web\/layouts\//,
    goal: 6,
  },
  {
    change: 'a kind of fault',
    example: 'an expired TLS certificate',
    names: /callTlsExpired|'tls-expired'/,
    goal: 12,
  },
  {
    change: 'a kind of property',
    example: 'a list of references',
    names: /SERVICE_REFERENCE_LIST|ServiceReferenceList|'reference-list'/,
    goal: 15,
  },
  {
    change: 'a language',
    example: 'Chinese',
    names: /\bzh: '|const zh\b/,
    folder: 'web/i18n/zh/',
    goal: 10,
  },
]

const GENERATED = /^docs\/(?:openapi|schemas|wire-kit)\/|^packages\/plugin-sdk\/schemas\//
const DOCUMENTS = /^docs\/|\.md$/
/** Also what the suites, the demo and its bundles have of it. */
const TESTS = /\.test\.|\/testing[/.-]|^(?:e2e|lab|demo|plugin)\//
const OTHERS = /^package-lock\.json$|^scripts\/count-changes\.ts$/

const texts = new Map(
  projectFiles()
    .filter((file) => /\.(?:tsx?|mjs|sql|json|md)$/.test(file) && !OTHERS.test(file))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
)
const areListed = process.argv.includes('--files')
const rows = EXAMPLES.map(({ change, example, names, folder, users, goal }) => {
  const named = [...texts]
    .filter(([file, text]) => names.test(text) || (folder !== undefined && file.startsWith(folder)))
    .map(([file]) => file)
  const kinds = Object.groupBy(named, (file) =>
    GENERATED.test(file)
      ? 'generated'
      : DOCUMENTS.test(file)
        ? 'documents'
        : TESTS.test(file)
          ? 'tests'
          : users?.test(file) === true
            ? 'users'
            : 'by hand',
  )
  const byHand = kinds['by hand'] ?? []
  if (byHand.length === 0) throw new Error(`No file names ${example}; choose another example of ${change}`)
  if (areListed) console.log(`${change}: ${example}\n${byHand.map((file) => `  ${file}\n`).join('')}`)
  return {
    change,
    example,
    'files by hand': byHand.length,
    goal,
    generated: kinds.generated?.length ?? 0,
    tests: kinds.tests?.length ?? 0,
    documents: kinds.documents?.length ?? 0,
  }
})
console.table(rows)
