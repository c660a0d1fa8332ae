import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const INLINE_SCRIPT = `document.documentElement.dataset.theme = 'dark'`

/** A folder like the build's, with a minimal page; the caller removes it. */
export function makeShellFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'console-shell-'))
  mkdirSync(join(folder, '.vite'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html><html><head><script>${INLINE_SCRIPT}</script><script type="module" src="/assets/main.js"></script></head><body><div id="root"></div></body></html>`,
  )
  writeFileSync(join(folder, 'assets', 'main.js'), 'export {}')
  writeFileSync(
    join(folder, '.vite', 'page-scripts.json'),
    JSON.stringify({ '/services': { en: ['/assets/services-en.js'], zh: ['/assets/services-zh.js'] } }),
  )
  return folder
}

/** The data of a document; null if it has none. */
export function dataOf(html: string): {
  position: string | null
  answers: { name: string; call: unknown; answer: unknown }[]
} | null {
  const blocks = [...html.matchAll(/<script type="application\/json" id="document-data">([^]*?)<\/script>/g)]
  if (blocks.length > 1) throw new Error('The document has more than one data block')
  return blocks[0] === undefined ? null : JSON.parse(blocks[0][1] ?? '')
}

/** Headers of a navigation that a person starts. */
export const NAVIGATION = {
  accept: 'text/html,application/xhtml+xml',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-site': 'none',
}
