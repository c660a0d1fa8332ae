#!/usr/bin/env node
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const template = fileURLToPath(new URL('../template', import.meta.url))
const [command, folder = '.', ...rest] = process.argv.slice(2)

if (command !== 'init' || rest.length > 0) {
  console.error('Usage: plugin-sdk init [folder]\n\nCopies a plugin to start from into the folder.')
  process.exit(2)
}
const files = readdirSync(template)
const target = resolve(folder)
const existing = files.filter((file) => existsSync(join(target, file)))
if (existing.length > 0) {
  console.error(`Nothing was copied. Already in the folder: ${existing.join(', ')}. Choose another folder.`)
  process.exit(1)
}
mkdirSync(target, { recursive: true })
for (const file of files) copyFileSync(join(template, file), join(target, file), constants.COPYFILE_EXCL)
console.log(`Created ${files.join(', ')}. Start the plugin with: node plugin.mjs`)
