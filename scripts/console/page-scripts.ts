import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'
import { pages } from '../../contract/console-api/pages/pages.ts'
import { LANGUAGES } from '../../contract/protocol/languages.ts'
import { root } from '../process.ts'
import { COMPILE_HINT } from './script-sizes.ts'

/**
 * Writes `.vite/page-scripts.json` at the build: the scripts of each page in each language, by the path of its route,
 * without those that `index.html` names. The console's server preloads them (`bff/document/shell.ts`). Each of these
 * scripts begins with a compile hint.
 *
 * @throws Error (the build fails) when a page of `web/app/routes.tsx` cannot be read, its module is in no script, or the start
 * of the console imports the texts of a language.
 */
export function pageScripts(): Plugin {
  return {
    name: 'console-page-scripts',
    apply: 'build',
    generateBundle: {
      // after Vite's own hook, which writes a line before the code of scripts that load others on demand
      order: 'post',
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
        const filesOf = (module: string): Set<string> => withImports(chunkOf(chunks, module), bundle)
        const initial = filesOf('app/main.tsx')
        for (const language of LANGUAGES)
          if (initial.has(chunkOf(chunks, `i18n/${language}/index.ts`).fileName))
            throw new Error(`Every page loads the texts of ${language}; see the groups in vite.config.ts`)
        const routes = pagesOf(readFileSync(join(root, 'web', 'app', 'routes.tsx'), 'utf8'))
        const scripts = Object.fromEntries(
          routes.map(([path, module]) => {
            const own = LANGUAGES.map((language) => {
              const files = new Set([...filesOf(module), ...filesOf(`i18n/${language}/index.ts`)])
              return [language, [...files].filter((file) => !initial.has(file)).map((file) => `/${file}`)]
            })
            return [path, Object.fromEntries(own)] as [string, Record<string, string[]>]
          }),
        )
        const early = new Set(Object.values(scripts).flatMap((of) => Object.values(of).flat()))
        for (const chunk of chunks) {
          if (initial.has(chunk.fileName) || early.has(`/${chunk.fileName}`))
            chunk.code = COMPILE_HINT + chunk.code
        }
        this.emitFile({ type: 'asset', fileName: '.vite/page-scripts.json', source: JSON.stringify(scripts) })
      },
    },
  }
}

/** The path and the module of each page, as `web/app/routes.tsx` lists them. */
function pagesOf(routes: string): (readonly [path: string, module: string])[] {
  const PAGE = /'(\/[^']*)': async \(\) =>\s*\(await import\('\.\.\/(pages\/[^']+)'\)\)/g
  const found = [...routes.matchAll(PAGE)].map(([, path = '', module = '']) => [path, module] as const)
  if (found.length !== Object.keys(pages).length)
    throw new Error('web/app/routes.tsx has a page whose path and module cannot be read')
  return found
}

function chunkOf(chunks: readonly Rolldown.OutputChunk[], module: string): Rolldown.OutputChunk {
  const id = join(root, 'web', module)
  const found = chunks.find(({ moduleIds }) => moduleIds.includes(id))
  if (found === undefined) throw new Error(`No script contains web/${module}, which web/app/routes.tsx names`)
  return found
}

/** The files of a chunk and of everything that it imports before it runs. */
function withImports(from: Rolldown.OutputChunk, bundle: Rolldown.OutputBundle): Set<string> {
  const files = new Set<string>()
  const add = (chunk: Rolldown.OutputChunk): void => {
    if (files.has(chunk.fileName)) return
    files.add(chunk.fileName)
    for (const name of chunk.imports) {
      const imported = bundle[name]
      if (imported?.type === 'chunk') add(imported)
    }
  }
  add(from)
  return files
}
