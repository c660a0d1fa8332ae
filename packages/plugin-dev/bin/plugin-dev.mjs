#!/usr/bin/env node
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(
    `plugin-dev needs Node 22.13 or later, and this is Node ${process.versions.node}. Install a newer one, or fetch it for this command only: npx --package=node@24 --package=@bundle-console/plugin-check plugin-check dev. Your plugin can keep its own Node.`,
  )
  process.exit(2)
}
// Compiling the program takes a third of a second, so Node keeps the result: not in the temporary folder, where others could put
// something else into its place
module.enableCompileCache(fileURLToPath(new URL('../dist/compiled', import.meta.url)))
await import('../dist/main.js')
