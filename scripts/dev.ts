import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root, tool } from './process.ts'

// The servers restart when their sources change; Vite serves the console and forwards /api to them.
const servers = spawn(
  process.execPath,
  [
    '--watch-path=runtime',
    '--watch-path=bff',
    '--watch-path=contract',
    '--watch-path=http-kit',
    '--watch-path=database',
    join(root, 'scripts', 'start.ts'),
    ...process.argv.slice(2),
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { PUBLIC_URL: 'http://localhost:5173', ...process.env },
  },
)
const vite = spawn(process.execPath, [tool('vite/bin/vite.js')], { cwd: root, stdio: 'inherit' })

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    servers.kill(signal)
    vite.kill(signal)
  })
}
servers.on('exit', (code) => {
  vite.kill()
  process.exit(code ?? 0)
})
