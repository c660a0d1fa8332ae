import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Context, Next } from 'hono'

interface ConsoleFile {
  type: string
  body: Uint8Array<ArrayBuffer>
  compressed: Uint8Array<ArrayBuffer> | null
  immutable: boolean
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
const COMPRESSIBLE = new Set(['.css', '.html', '.js', '.json', '.svg', '.webmanifest'])

/**
 * Serves the files of the built console from memory, and nothing else, so no path leads out of the folder.
 * `documentRoute` serves the page.
 */
export function consoleFiles(folder: string) {
  const files = readFiles(folder)
  return async (c: Context, next: Next): Promise<Response | void> => {
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return next()
    const file = files.get(c.req.path)
    if (file === undefined) return next()
    return send(c, file)
  }
}

function send(c: Context, file: ConsoleFile): Response {
  const takesBrotli = /\bbr\b/.test(c.req.header('accept-encoding') ?? '')
  const compressed = takesBrotli ? file.compressed : null
  return c.body(compressed ?? file.body, 200, {
    'content-type': file.type,
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(file.compressed !== null && { vary: 'Accept-Encoding' }),
    ...(compressed !== null && { 'content-encoding': 'br' }),
  })
}

function readFiles(folder: string): Map<string, ConsoleFile> {
  const files = new Map<string, ConsoleFile>()
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    const extension = extname(name)
    const type = TYPES[extension]
    const address = `/${relative(folder, path).split(sep).join('/')}`
    // dotfiles (the build's own manifest) are not for browsers
    if (type === undefined || !statSync(path).isFile() || address.includes('/.')) continue
    if (address === '/index.html') continue
    const body = new Uint8Array(readFileSync(path))
    files.set(address, {
      type,
      body,
      compressed: COMPRESSIBLE.has(extension) ? readCompressed(path, body) : null,
      immutable: address.startsWith('/assets/'),
    })
  }
  return files
}

/** The build writes a `.br` beside each file; files without one (development builds) are compressed quickly here. */
function readCompressed(path: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(`${path}.br`))
  } catch {
    return new Uint8Array(brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }))
  }
}
