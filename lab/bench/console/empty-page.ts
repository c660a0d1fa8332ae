import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'vite'
import react from '@vitejs/plugin-react'

const root = dirname(dirname(dirname(import.meta.dirname)))

/** Builds the smallest page with the same tools, React with one button, and serves it in the same way. */
export async function serveEmptyPage(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-console-empty-'))
  const entry = join(root, '.cache', 'empty')
  mkdirSync(entry, { recursive: true })
  writeFileSync(
    join(entry, 'index.html'),
    '<!doctype html><html lang="en"><title>Empty</title><div id="root"></div><script type="module" src="./main.js"></script></html>',
  )
  writeFileSync(
    join(entry, 'main.js'),
    `import { createElement, useState } from 'react'\nimport { createRoot } from 'react-dom/client'\nfunction Page() {\n  const [isPressed, press] = useState(false)\n  return createElement('button', { id: 'ready', onClick: () => press(true), className: isPressed ? 'pressed' : '' }, 'Ready')\n}\ncreateRoot(document.getElementById('root')).render(createElement(Page))\n`,
  )
  await build({
    root: entry,
    configFile: false,
    logLevel: 'error',
    plugins: [react()],
    build: { outDir: folder, emptyOutDir: true },
  })
  // precompressed, as the console's files are
  const files = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(html|js)$/.test(name))
      .map((name) => [`/${name}`, brotliCompressSync(readFileSync(join(folder, name)))]),
  )
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : (request.url ?? '')
    const body = files.get(path)
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html'
    if (body === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': type, 'content-encoding': 'br' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
