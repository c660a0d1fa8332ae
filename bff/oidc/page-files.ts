import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Hono } from 'hono'
import { FONT_PATH, STYLESHEET_PATH } from './pages.ts'

const FONT = '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'

/** The files of the sign-in pages: their stylesheet and the console's font. */
export function pageFiles(): Hono {
  const stylesheet = readFileSync(new URL('sign-in.css', import.meta.url), 'utf8')
  const font = new Uint8Array(readFileSync(fileURLToPath(import.meta.resolve(FONT))))
  return new Hono()
    .get(STYLESHEET_PATH, (c) =>
      c.body(stylesheet, 200, { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'no-cache' }),
    )
    .get(FONT_PATH, (c) =>
      c.body(font, 200, { 'content-type': 'font/woff2', 'cache-control': 'public, max-age=604800' }),
    )
}
