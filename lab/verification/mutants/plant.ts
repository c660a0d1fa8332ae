import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { plant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

// Loaded first (`node --import`) in a suite or test and in all processes that it starts: plants the mutant that the
// environment names while the module is loaded. The files themselves are never changed.

const name = process.env['PLANTED_MUTANT']
const mutant = MUTANTS.find((one) => one.name === name)
if (mutant === undefined) throw new Error(`there is no mutant ${name}`)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const target = pathToFileURL(join(root, mutant.file)).href

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (url !== target || loaded.source === undefined || loaded.source === null) return loaded
    const source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source)
    return { ...loaded, source: plant(mutant, source) }
  },
})
