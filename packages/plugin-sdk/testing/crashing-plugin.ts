import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { definePlugin } from '../src/define-plugin.ts'
import { deterministicName, findOrAdopt } from '../src/find-or-adopt.ts'
import { listen, toNodeListener } from '../src/node-listener.ts'
import { applied } from '../src/result.ts'
import { sqliteStore } from '../src/sqlite-store.ts'

// A process for one test: its effect is a file outside of the store; on request it kills itself right after the effect.
const [folder = '.', crash] = process.argv.slice(2)

const plugin = definePlugin({
  pluginId: 'tenant-provisioner',
  verify: false,
  store: sqliteStore(join(folder, 'plugin.sqlite')),
  handle: {
    BEFORE_RESOURCES: async (call) => {
      const file = join(folder, deterministicName('effect', call.installation.bundleInstallId))
      await findOrAdopt({
        find: () => (existsSync(file) ? file : null),
        create: () => {
          writeFileSync(file, '', { flag: 'wx' })
          return file
        },
      })
      if (crash === 'crash') process.kill(process.pid, 'SIGKILL')
      return applied()
    },
  },
})

console.log((await listen(toNodeListener(plugin))).url)
