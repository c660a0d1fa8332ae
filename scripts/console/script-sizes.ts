import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes V8 compile the functions of a file while it loads, off the main thread, instead of each at its first call. Nearly
 * all of a page's scripts run in the first render. Other browsers ignore the comment.
 */
export const COMPILE_HINT = '//# allFunctionsCalledOnLoad\n'

/** kB of compressed scripts that a first visit of a page may load, in the language with the longest texts. */
const LIMIT = 250
/** That of a page with a form. */
const FORM_LIMIT = 345
/** Each loads zod and the form library at its first visit. On all other pages, dialogs with forms are loaded on demand. */
const WITH_FORM: ReadonlySet<string> = new Set([
  '/batches/$id',
  '/catalog/$env/$bundle/$version',
  '/change-requests/$id',
  '/freezes',
  '/installations/$id',
  '/installations/new',
  '/notifications',
  '/notifications/$id',
  '/plugins',
  '/plugins/$id',
  '/receipt',
  '/scopes/$env/$runtime/$workspace/configuration',
  '/scopes/$env/$runtime/$workspace/local-services',
  '/services/$id',
])

/**
 * Compares what each page loads with its limit, and expects the compile hint in it. Most often, a page exceeds its limit because it
 * imports a dialog with a form, which can be loaded on demand (`lazyPart`).
 *
 * @param output The folder of the built console, with a brotli version of each script.
 * @throws Error that names every page that loads too much, or every script without the hint.
 */
export function checkPageScripts(output: string): void {
  const html = readFileSync(join(output, 'index.html'), 'utf8')
  const start = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, file = '']) => file)
  // written by `pageScripts` in the same build
  const pages = JSON.parse(readFileSync(join(output, '.vite', 'page-scripts.json'), 'utf8')) as Record<
    string,
    Record<string, string[]>
  >
  const kBOf = (files: readonly string[]): number =>
    files.reduce((bytes, file) => bytes + statSync(join(output, `${file}.br`)).size, 0) / 1000
  const excesses = Object.entries(pages).flatMap(([path, languages]) => {
    const kB = kBOf(start) + Math.max(...Object.values(languages).map(kBOf))
    const limit = WITH_FORM.has(path) ? FORM_LIMIT : LIMIT
    return kB > limit ? [`${path} loads ${kB.toFixed(1)} kB of scripts; its limit is ${limit} kB`] : []
  })
  if (excesses.length > 0)
    throw new Error(`Pages load too much (scripts/console/script-sizes.ts):\n${excesses.join('\n')}`)
  const files = new Set([...start, ...Object.values(pages).flatMap((of) => Object.values(of).flat())])
  // V8 ignores the hint in any later line
  const without = [...files].filter(
    (file) => !readFileSync(join(output, file), 'utf8').startsWith(COMPILE_HINT),
  )
  if (without.length > 0)
    throw new Error(`Scripts that do not begin with the compile hint: ${without.join(', ')}`)
}
