import { fileURLToPath } from 'node:url'
import { runPluginDev } from './command.ts'

// The command of the package, which contains the built console.

await runPluginDev({
  name: 'plugin-check dev',
  args: process.argv.slice(2),
  consoleFolder: async () => ({
    folder: fileURLToPath(new URL('../../web', import.meta.url)),
    buildMs: 0,
  }),
  createsProfile: true,
})
