import { existsSync, writeFileSync } from 'node:fs'
import { UsageError } from './profile.ts'

/** For the plugin that `plugin-sdk init` creates; authors of another plugin replace its values. */
export const STARTER_PROFILE = {
  pluginId: 'mailbox-maker',
  resources: {
    'development/team-mail/MODULE/mail': {
      properties: { displayName: 'Northwind Sales' },
      changed: { displayName: 'Northwind Support' },
      writes: { mailbox: {} },
    },
  },
}

/**
 * Creates a profile to start from, by default that of the starter plugin. Returns false, and changes nothing, if the file exists.
 *
 * @throws UsageError if it cannot be written
 */
export function createStarterProfile(file: string, profile: object = STARTER_PROFILE): boolean {
  if (existsSync(file)) return false
  try {
    writeFileSync(file, `${JSON.stringify(profile, null, 2)}\n`, { flag: 'wx' })
  } catch {
    throw new UsageError(`The profile ${file} cannot be written. Choose a folder in which you may write.`)
  }
  return true
}
