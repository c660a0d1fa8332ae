import { join } from 'node:path'
import type { Rolldown } from 'vite'
import { root } from '../process.ts'

/** A group takes with it what its modules import, so each comes after those that it may import. */
const NAMES = ['start', 'lists', 'values', 'operation', 'shown', 'forms', 'fixed-forms', 'others'] as const

/**
 * What several pages or parts share, in a few groups by the pages that import it, so that a page loads little that only others
 * need. Each page, and each part that is loaded on demand, has a script of its own.
 */
export const sharedScripts = NAMES.map((name) => ({
  name: (id: string, graph: Graph) => (groupOf(id, graph) === name ? name : null),
  debugName: name,
  minShareCount: name === 'start' ? 1 : 2,
  // no page needs most of what is left; in several scripts, since only pages with fixed forms and parts on demand load them
  ...(name === 'others' && { entriesAware: true, entriesAwareMergeThreshold: 12_000 }),
}))

type Graph = Pick<Rolldown.PluginContext, 'getModuleInfo'>

const inWeb = (module: string): string => join(root, 'web', module)
const page = (module: string): string => inWeb(`pages/${module}Page.tsx`)
const LISTS = [page('installations/Installations'), page('operations/Operations')]
const OPERATION = page('operations/Operation')
const CONFIGURATION = page('configuration/Configuration')
const FIXED_FORM = page('freezes/Freezes')
/** The script of a language loads no other, so what the texts import is in the start. */
const START = [inWeb('app/main.tsx'), inWeb('i18n/en/index.ts')]
const TEXTS = /\/web\/i18n\/[a-z]{2}\/|\/contract\/console-api\/(catalogue|connection-codes)\./
/** The libraries that only forms need. */
const FORMS = /\/node_modules\/(react-hook-form|zod)\//

function groupOf(id: string, graph: Graph): (typeof NAMES)[number] | null {
  if (TEXTS.test(id)) return null
  const isIn = (module: string): boolean => importsOf(module, graph).has(id)
  if (START.some(isIn)) return 'start'
  const isOfOperation = isIn(OPERATION)
  const isOfConfiguration = isIn(CONFIGURATION)
  if (LISTS.some(isIn)) return isOfOperation || isOfConfiguration ? 'start' : 'lists'
  const pages = graph.getModuleInfo(inWeb('app/routes.tsx'))?.dynamicallyImportedIds ?? []
  const isShown = pages.some((module) => module !== OPERATION && isIn(module) && !hasForms(module, graph))
  if (isOfOperation) return isShown || isOfConfiguration ? 'values' : 'operation'
  if (isShown) return 'shown'
  if (isOfConfiguration) return 'forms'
  return isIn(FIXED_FORM) ? 'fixed-forms' : 'others'
}

const hasForms = (module: string, graph: Graph): boolean =>
  [...importsOf(module, graph)].some((id) => FORMS.test(id))

const known = new Map<string, ReadonlySet<string>>()
/** A module, and everything that it imports before it runs. */
function importsOf(module: string, graph: Graph): ReadonlySet<string> {
  const found = known.get(module)
  if (found !== undefined) return found
  const made = new Set([module])
  for (const id of made) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) made.add(next)
  known.set(module, made)
  return made
}
