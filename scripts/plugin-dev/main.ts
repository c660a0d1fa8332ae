import { join } from 'node:path'
import { buildConsole } from '../console-build.ts'
import { root } from '../process.ts'
import { runPluginDev } from './command.ts'

// The command of the repository, which builds the console of the working tree.

await runPluginDev({
  name: 'npm run plugin-dev --',
  args: process.argv.slice(2),
  consoleFolder: async () => {
    const buildMs = await buildConsole()
    return { folder: join(root, 'dist', 'web'), buildMs }
  },
  createsProfile: false,
})
