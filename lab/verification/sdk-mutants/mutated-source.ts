import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Mutation } from './mutations.ts'

// Loaded into a plugin before its program: MUTATION is a Mutation as JSON, whose file is a path.

// set by the suite
const { file, start, end, to } = JSON.parse(process.env['MUTATION'] ?? '') as Mutation
const { href } = pathToFileURL(file)

registerHooks({
  load(url, context, next) {
    if (url !== href) return next(url, context)
    const source = readFileSync(file, 'utf8')
    return {
      format: 'module-typescript',
      source: source.slice(0, start) + to + source.slice(end),
      shortCircuit: true,
    }
  },
})
