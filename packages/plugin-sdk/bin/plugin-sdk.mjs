#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { runCommand } from '../dist/packages/plugin-sdk/src/command-line.js'

const templates = fileURLToPath(new URL('../template', import.meta.url))
process.exitCode = runCommand(process.argv.slice(2), templates, {
  print: (text) => console.log(text),
  printError: (text) => console.error(text),
})
