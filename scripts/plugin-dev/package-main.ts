import { fileURLToPath } from 'node:url'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runPluginDev } from './command.ts'

// The command of the package, which contains the built console.

await runPluginDev({
  name: 'plugin-check dev',
  args: process.argv.slice(2),
  consoleFolder: async () => ({
    folder: fileURLToPath(new URL('../../web', import.meta.url)),
    buildMs: 0,
  }),
  databaseTemplates: cacheFolder(process.platform, process.env),
  createsProfile: true,
})

/** The folder of this person for what plugin-dev can make again, where the system expects it. */
function cacheFolder(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = env
  const folders: Partial<Record<NodeJS.Platform, string>> = {
    darwin: join(homedir(), 'Library', 'Caches'),
    win32: local ?? join(homedir(), 'AppData', 'Local'),
  }
  return join(folders[platform] ?? (xdg || join(homedir(), '.cache')), 'bundle-console', 'plugin-dev')
}
