import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'
import { pageParts } from '../../web/page-parts.ts'
import { root } from '../process.ts'

export const LANGUAGES = ['en', 'zh']

/**
 * Makes V8 compile the functions of a file while it loads, off the main thread, instead of each at its first call. Nearly
 * all of a page's scripts run in the first render. Other browsers ignore the comment.
 */
const COMPILE_HINT = '//# allFunctionsCalledOnLoad\n'

/**
 * Writes `.vite/page-scripts.json` at the build: the scripts of each page in each language, by the path of its route,
 * without those that `index.html` names. The console's server preloads them (`bff/document/shell.ts`). Each of these
 * scripts begins with a compile hint.
 *
 * @throws Error (the build fails) when a page's module is missing, or a page is not listed in `web/page-parts.ts`.
 */
export function pageScripts(): Plugin {
  return {
    name: 'console-page-scripts',
    apply: 'build',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      const initial = withImports(
        chunks.filter(({ isEntry }) => isEntry),
        bundle,
      )
      const scripts = Object.fromEntries(
        Object.entries(pageParts).map(([path, { module, texts }]) => [
          path,
          Object.fromEntries(
            LANGUAGES.map((language) => {
              const modules = [
                `pages/${module}`,
                ...['core', ...texts].map((name) => textModule(language, name)),
              ]
              const own = withImports(
                modules.map((name) => chunkOf(chunks, name)),
                bundle,
              )
              return [language, [...own].filter((file) => !initial.has(file)).map((file) => `/${file}`)]
            }),
          ),
        ]),
      )
      const pageFiles = new Set(
        Object.values(scripts).flatMap((byLanguage) => Object.values(byLanguage).flat()),
      )
      for (const chunk of chunks) {
        const { fileName } = chunk
        if (initial.has(fileName) || pageFiles.has(`/${fileName}`)) chunk.code = COMPILE_HINT + chunk.code
      }
      this.emitFile({
        type: 'asset',
        fileName: '.vite/page-scripts.json',
        source: JSON.stringify(scripts),
      })
    },
  }
}

/** The module of a namespace, below `web`. */
export const textModule = (language: string, namespace: string): string =>
  `i18n/${language}/${namespace.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`

function chunkOf(chunks: readonly Rolldown.OutputChunk[], module: string): Rolldown.OutputChunk {
  const id = join(root, 'web', module)
  const found = chunks.find(({ moduleIds }) => moduleIds.includes(id))
  if (found === undefined) throw new Error(`web/page-parts.ts names web/${module}, which no route imports`)
  return found
}

/** The files of these chunks and of everything that they import before they run. */
function withImports(chunks: readonly Rolldown.OutputChunk[], bundle: Rolldown.OutputBundle): Set<string> {
  const files = new Set<string>()
  const add = (chunk: Rolldown.OutputChunk): void => {
    if (files.has(chunk.fileName)) return
    files.add(chunk.fileName)
    for (const name of chunk.imports) {
      const imported = bundle[name]
      if (imported?.type === 'chunk') add(imported)
    }
  }
  for (const chunk of chunks) add(chunk)
  return files
}
