import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProcess } from '../../verification/processes/child.ts'
import type { Child } from '../../verification/processes/child.ts'
import { freePort } from '#database/free-port.ts'
import type { Programs } from '../debian-programs.ts'
import type { PatroniNode } from './node.ts'

/** Forwards to the node that says it is the primary. */
export interface Haproxy {
  port: number
  start(): void
  kill(): Promise<void>
}

/** Nothing runs yet. */
export async function createHaproxy(
  programs: Programs,
  folder: string,
  nodes: readonly PatroniNode[],
): Promise<Haproxy> {
  const port = await freePort()
  const settings = join(folder, 'haproxy.cfg')
  const lines = [
    'global',
    '  maxconn 500',
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout client 1h',
    '  timeout server 1h',
    '  timeout check 1s',
    'listen primary',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk GET /primary',
    '  http-check expect status 200',
    '  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions',
    ...nodes.map(
      ({ name, address }) => `  server ${name} 127.0.0.1:${address.postgres} check port ${address.rest}`,
    ),
    '',
  ]
  writeFileSync(settings, lines.join('\n'))
  let child: Child | undefined
  return {
    port,
    start() {
      child = startProcess([programs.path('haproxy'), '-db', '-f', settings], programs.env)
    },
    async kill() {
      child?.signal('SIGKILL')
      await child?.exited
    },
  }
}
