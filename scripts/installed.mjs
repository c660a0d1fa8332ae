import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Whether node_modules matches package-lock.json, according to the record that npm keeps of each installation. Packages
 * of other platforms may be missing, and the project's own workspaces: no program imports them by name.
 *
 * @param {string} root of the project
 * @returns {boolean}
 */
export function isInstalled(root) {
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const note = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(note)) return false
  const found = JSON.parse(readFileSync(note, 'utf8')).packages
  return Object.entries(wanted).every(([path, { version, integrity, optional, link }]) => {
    if (link === true || !path.startsWith('node_modules/')) return true
    const installed = found[path]
    if (installed === undefined) return optional === true
    return installed.version === version && installed.integrity === integrity
  })
}
