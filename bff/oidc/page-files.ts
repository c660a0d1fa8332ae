import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Hono } from 'hono'
import { FONT_PATH, STYLESHEET_PATH } from './pages.ts'

/** The files of the sign-in pages: their stylesheet and the console's font. */
export function pageFiles(): Hono {
  const stylesheet = readFileSync(new URL('sign-in.css', import.meta.url), 'utf8')
  // written out, because an image contains the packages that the sources name
  const font = import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
  const fontBytes = new Uint8Array(readFileSync(fileURLToPath(font)))
  return new Hono()
    .get(STYLESHEET_PATH, (c) =>
      c.body(stylesheet, 200, { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'no-cache' }),
    )
    .get(FONT_PATH, (c) =>
      c.body(fontBytes, 200, { 'content-type': 'font/woff2', 'cache-control': 'public, max-age=604800' }),
    )
}
