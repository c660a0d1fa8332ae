import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { CONSOLE_METRIC_HELP } from '#bff/metrics.ts'
import { PROCESS_HELP } from '#http-kit/metrics.ts'
import { RUNTIME_METRIC_HELP } from '#runtime/http/metrics.ts'
import { root } from '../../scripts/process.ts'

const folder = join(root, 'deploy', 'prometheus')
const alerts = readFileSync(join(folder, 'alerts.yml'), 'utf8')
const dashboard = readFileSync(join(root, 'deploy', 'grafana', 'dashboard.json'), 'utf8')
const hasPromtool = spawnSync('promtool', ['--version']).error === undefined

describe('the alert rules and the dashboard', () => {
  it('use only metrics that the programs have', () => {
    const known = { ...CONSOLE_METRIC_HELP, ...RUNTIME_METRIC_HELP, ...PROCESS_HELP }
    const used = `${alerts}${dashboard}`.match(/\b(?:bundle_(?:runtime|console)|process|nodejs)_\w+/g) ?? []
    assert.ok(used.length > 30)
    for (const name of used) assert.ok(name.replace(/_bucket$/, '') in known, name)
  })

  it('name a page and a section that exist', () => {
    for (const [, page = '', section] of alerts.matchAll(/runbook: ([\w./-]+)(?:#([\w-]+))?/g)) {
      assert.ok(existsSync(join(root, page)), page)
      const titles = readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.*)$/gm)
      const anchors = [...titles].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'))
      if (section !== undefined) assert.ok(anchors.includes(section), `${page}#${section}`)
    }
  })

  it(
    'are provoked one by one',
    { skip: !hasPromtool && 'promtool is not installed (Debian: prometheus)' },
    () => {
      const ran = spawnSync('promtool', ['test', 'rules', 'alerts.test.yml'], {
        cwd: folder,
        encoding: 'utf8',
      })
      assert.equal(ran.status, 0, ran.stdout + ran.stderr)
      const provoked = readFileSync(join(folder, 'alerts.test.yml'), 'utf8')
      for (const [, name] of alerts.matchAll(/alert: (\w+)/g))
        assert.ok(provoked.includes(`alertname: ${name}\n`), name)
    },
  )
})
