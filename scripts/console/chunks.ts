import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'
import { pageParts } from '../../web/page-parts.ts'
import { root } from '../process.ts'

/** The pages that people open first: all that they import is loaded with every page. */
const FIRST_PAGES: ReadonlySet<string> = new Set([
  'installations/InstallationsPage.tsx',
  'operations/OperationsPage.tsx',
])
/** A module that more pages than this import is loaded with every page. */
const MOST_PAGES = 8
/** What several pages share is a chunk of its own from this size on, in characters of source. */
const LARGE = 20_000
const LIBRARIES =
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(history|query-core|react-query|react-router|react-store|router-core|store))\//

type ModuleInfo = (id: string) => Rolldown.ModuleInfo | null

/**
 * Decides which scripts the build makes. Left alone, the bundler makes a chunk of every small thing that two pages share,
 * each a request of a cold visit. Here are: what hardly ever changes (`libraries`), what the start of the console and
 * most pages import (`console`), the pages, and what a few pages share (`shared`). What is imported on demand stays apart.
 */
export function chunks(): { plugin: Plugin; name: (id: string) => string | null } {
  const names = new Map<string, string>()
  return {
    plugin: {
      name: 'console-chunks',
      apply: 'build',
      buildEnd(error) {
        if (error !== undefined) return
        for (const [id, name] of namesOf((module) => this.getModuleInfo(module))) names.set(id, name)
      },
    },
    name: (id) => (LIBRARIES.test(id) ? 'libraries' : (names.get(id) ?? null)),
  }
}

function namesOf(infoOf: ModuleInfo): Map<string, string> {
  const started = importedBy(inWeb('main.tsx'), infoOf)
  const pagesOf = new Map<string, string[]>()
  for (const { module } of Object.values(pageParts)) {
    for (const id of importedBy(inWeb(`pages/${module}`), infoOf)) {
      if (!started.has(id)) pagesOf.set(id, [...(pagesOf.get(id) ?? []), module])
    }
  }
  const sizes = new Map<string, number>()
  for (const [id, pages] of pagesOf) {
    sizes.set(pages.join(), (sizes.get(pages.join()) ?? 0) + (infoOf(id)?.code?.length ?? 0))
  }
  const nameOf = (pages: readonly string[]): string => {
    const isFirst = pages.some((page) => FIRST_PAGES.has(page))
    if (pages.length > MOST_PAGES || (pages.length > 1 && isFirst)) return 'console'
    if (pages.length > 1 && (sizes.get(pages.join()) ?? 0) < LARGE) return 'shared'
    return pages.map((page) => page.replace(/^.*\/|Page\.tsx$/g, '')).join('-')
  }
  return new Map([
    [inWeb('i18n/code-texts.ts'), 'console'],
    ...[...started].map((id) => [id, 'console'] as const),
    ...[...pagesOf].map(([id, pages]) => [id, nameOf(pages)] as const),
  ])
}

const inWeb = (module: string): string => join(root, 'web', module)

/** A module and all that it imports before it runs. */
function importedBy(id: string, infoOf: ModuleInfo, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found
  found.add(id)
  for (const imported of infoOf(id)?.importedIds ?? []) importedBy(imported, infoOf, found)
  return found
}
