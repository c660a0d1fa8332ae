import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** For files that must survive a killed process, but not the machine: in memory if possible. */
export function fastFolder(): string {
  const memory = '/dev/shm'
  return existsSync(memory) ? memory : tmpdir()
}
