import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { minifySync } from 'vite'
import type { Plugin, Rolldown } from 'vite'
import { pageParts } from '../../web/page-parts.ts'
import { root } from '../process.ts'
import { LANGUAGES, textModule } from './page-scripts.ts'

/** The name of what several pages share. */
const SHARED = 'part'
/** What a request costs a cold visit, as the number of compressed bytes that load in the same time. */
const REQUEST_COST = 7_700

const pages: readonly { module: string; texts: readonly string[] }[] = Object.values(pageParts)
const allPages = pages.map(({ module }) => module)

/** The pages that people open most often count more. */
const MAIN_PAGES: ReadonlySet<string> = new Set([
  'installations/InstallationsPage.tsx',
  'operations/OperationsPage.tsx',
  'operations/OperationPage.tsx',
  'configuration/ConfigurationPage.tsx',
])
const MAIN_WEIGHT = 6

type ModuleInfo = (id: string) => Rolldown.ModuleInfo | null

/** Parts of the libraries that only a few pages use. The start imports them only by the libraries' entry modules. */
const NOT_AT_START = /\/(useBlocker|useInfiniteQuery|infiniteQueryObserver|useQueries|queriesObserver)\.js$/

interface Group {
  name: string
  /** The pages that load its modules. */
  pages: readonly string[]
  modules: readonly string[]
  size: number
}

/**
 * Decides which scripts the build makes. Left alone, the bundler makes a chunk of every small thing that two pages share,
 * each a request of a cold visit. The groups here are: the packages that the start imports (`libraries`, a file that stays
 * in the browser's cache across deployments), our own modules of the start (`console`), the pages, and what several pages
 * share. What is imported on demand stays apart.
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
    name: (id) => names.get(id) ?? null,
  }
}

function namesOf(infoOf: ModuleInfo): Map<string, string> {
  const started = [...importedBy(inWeb('main.tsx'), infoOf)]
  const libraries = started.filter((id) => id.includes('/node_modules/') && !NOT_AT_START.test(id))
  const ownModules = started.filter((id) => !id.includes('/node_modules/'))
  return new Map([
    ...libraries.map((id) => [id, 'libraries'] as const),
    ...[
      ...mergeShared(scriptGroups(new Set(started), ownModules, infoOf), infoOf),
      ...LANGUAGES.flatMap((language) => mergeShared(textGroups(language, infoOf), infoOf)),
    ].flatMap(({ name, modules }) => modules.map((id) => [id, name] as const)),
  ])
}

/** Our own modules of the start, and what the pages import in addition, by the pages that import it. */
function scriptGroups(
  started: ReadonlySet<string>,
  ownModules: readonly string[],
  infoOf: ModuleInfo,
): Group[] {
  const pagesOf = new Map<string, string[]>()
  for (const { module } of pages) {
    for (const id of importedBy(inWeb(`pages/${module}`), infoOf)) {
      if (!started.has(id)) pagesOf.set(id, [...(pagesOf.get(id) ?? []), module])
    }
  }
  return [
    groupOf('console', allPages, [...ownModules, inWeb('i18n/code-texts.ts')], infoOf),
    ...groupsByPages(pagesOf, SHARED, infoOf),
  ]
}

/** The texts of a language, by the pages that show them. */
function textGroups(language: string, infoOf: ModuleInfo): Group[] {
  const core = importedBy(inWeb(textModule(language, 'core')), infoOf)
  const pagesOf = new Map<string, string[]>()
  for (const { module, texts } of pages) {
    for (const text of texts) {
      for (const id of importedBy(inWeb(textModule(language, text)), infoOf)) {
        if (!core.has(id)) pagesOf.set(id, [...(pagesOf.get(id) ?? []), module])
      }
    }
  }
  const shared = inWeb('i18n/code-texts.ts')
  pagesOf.delete(shared)
  return [
    groupOf(
      language,
      allPages,
      [...core].filter((id) => id !== shared),
      infoOf,
    ),
    ...groupsByPages(pagesOf, language, infoOf),
  ]
}

function groupsByPages(
  pagesOf: ReadonlyMap<string, readonly string[]>,
  name: string,
  infoOf: ModuleInfo,
): Group[] {
  const byPages = Map.groupBy(pagesOf.keys(), (id) => (pagesOf.get(id) ?? []).join())
  return [...byPages].map(([key, ids], index) => {
    const names = key.split(',')
    const [first = ''] = names.map((page) => page.replace(/^.*\/|Page\.tsx$/g, ''))
    const isScript = name === SHARED
    return groupOf(names.length === 1 && isScript ? first : `${name}-${index}`, names, ids, infoOf)
  })
}

const groupOf = (
  name: string,
  names: readonly string[],
  ids: readonly string[],
  infoOf: ModuleInfo,
): Group => ({
  name,
  pages: names,
  modules: ids,
  size: sizeOf(ids.map((id) => infoOf(id)?.code ?? '').join('\n')),
})

/** How many bytes a browser loads for the source of an ES module. */
const sizeOf = (code: string): number => brotliCompressSync(minifySync('module.js', code).code).length

/** Merges shared groups for as long as a merge makes the visits of all pages cheaper. */
function mergeShared(
  groups: readonly Group[],
  infoOf: ModuleInfo,
): readonly Pick<Group, 'name' | 'modules'>[] {
  const imports = importsOf(groups, infoOf)
  const indexes = [...groups.keys()]
  const shared = indexes.filter((index) => (groups[index]?.pages.length ?? 0) > 1)
  const pairs = shared.flatMap((one, at) => shared.slice(at + 1).map((other) => [one, other] as const))
  // the index of the group into which each group is merged
  let best = { into: indexes, cost: costOf(indexes, groups, imports) }
  for (;;) {
    const { into, cost } = best
    for (const [one, other] of pairs.filter(([one, other]) => into[one] === one && into[other] === other)) {
      const merged = into.map((index) => (index === other ? one : index))
      const next = costOf(merged, groups, imports)
      if (next < best.cost) best = { into: merged, cost: next }
    }
    if (best.cost === cost) break
  }
  return groups.map(({ name }, index) => ({
    name,
    modules: groups.flatMap(({ modules }, from) => (best.into[from] === index ? modules : [])),
  }))
}

/** For each group the indexes of those that its modules import. */
function importsOf(groups: readonly Group[], infoOf: ModuleInfo): number[][] {
  const indexOf = new Map(groups.flatMap(({ modules }, index) => modules.map((id) => [id, index] as const)))
  return groups.map(({ modules }) => [
    ...new Set(
      modules.flatMap((id) =>
        (infoOf(id)?.importedIds ?? []).flatMap((imported) => indexOf.get(imported) ?? []),
      ),
    ),
  ])
}

/** What a cold visit of each page costs: its requests and what it loads, also because one of its groups imports another. */
function costOf(
  into: readonly number[],
  groups: readonly Group[],
  imports: readonly (readonly number[])[],
): number {
  const merged = groups.map(() => ({ size: 0, imports: new Set<number>(), pages: new Set<string>() }))
  for (const [index, { size, pages: users }] of groups.entries()) {
    const target = merged[into[index] ?? index]
    if (target === undefined) continue
    target.size += size
    for (const imported of imports[index] ?? []) target.imports.add(into[imported] ?? imported)
    for (const page of users) target.pages.add(page)
  }
  return allPages.reduce((cost, page) => {
    const loaded = new Set<number>()
    for (const [index, { pages: users }] of merged.entries()) if (users.has(page)) loaded.add(index)
    let visit = 0
    // a set iterates over what is added to it meanwhile
    for (const index of loaded) {
      visit += REQUEST_COST + (merged[index]?.size ?? 0)
      for (const imported of merged[index]?.imports ?? []) loaded.add(imported)
    }
    return cost + visit * (MAIN_PAGES.has(page) ? MAIN_WEIGHT : 1)
  }, 0)
}

const inWeb = (module: string): string => join(root, 'web', module)

/** A module and all that it imports before it runs. */
function importedBy(id: string, infoOf: ModuleInfo, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found
  found.add(id)
  for (const imported of infoOf(id)?.importedIds ?? []) importedBy(imported, infoOf, found)
  return found
}
