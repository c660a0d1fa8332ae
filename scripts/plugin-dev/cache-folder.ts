import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder of this person for what plugin-dev can make again, where the system expects it. */
export function cacheFolder(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = env
  const folders: Partial<Record<NodeJS.Platform, string>> = {
    darwin: join(homedir(), 'Library', 'Caches'),
    win32: local ?? join(homedir(), 'AppData', 'Local'),
  }
  return join(folders[platform] ?? (xdg || join(homedir(), '.cache')), 'bundle-console', 'plugin-dev')
}
