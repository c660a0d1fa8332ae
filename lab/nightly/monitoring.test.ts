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
const hasAmtool = spawnSync('amtool', ['--version']).error === undefined
const hasPromtool = spawnSync('promtool', ['--version']).error === undefined

describe('the alert rules and the dashboard', () => {
  it('use only metrics that the programs have', () => {
    const known = { ...CONSOLE_METRIC_HELP, ...RUNTIME_METRIC_HELP, ...PROCESS_HELP }
    const used = `${alerts}${dashboard}`.match(/\b(?:bundle_(?:runtime|console)|process|nodejs)_\w+/g) ?? []
    assert.ok(used.length > 30)
    for (const name of used) assert.ok(name.replace(/_bucket$/, '') in known, name)
  })

  it('name a page and a section that exist', () => {
    let links = 0
    for (const [, page = '', section] of alerts.matchAll(
      /runbook_url: https:\/\/docs\.example\.org\/bundle-console\/([\w./-]+)(?:#([\w-]+))?/g,
    )) {
      const path = join(root, 'docs', page)
      assert.ok(existsSync(path), page)
      const titles = readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)
      const anchors = [...titles].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'))
      if (section !== undefined) assert.ok(anchors.includes(section), `${page}#${section}`)
      links++
    }
    assert.equal(links, [...alerts.matchAll(/alert: /g)].length)
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

  it(
    'reach the people on call by the sample of Alertmanager',
    { skip: !hasAmtool && 'amtool is not installed (Debian: prometheus-alertmanager)' },
    () => {
      const config = `--config.file=${join(folder, 'alertmanager.yml')}`
      const amtool = (...args: string[]) => spawnSync('amtool', args, { encoding: 'utf8' })
      const checked = amtool('check-config', join(folder, 'alertmanager.yml'))
      assert.equal(checked.status, 0, checked.stdout + checked.stderr)
      for (const [, name = '', severity = ''] of alerts.matchAll(/alert: (\w+)[^]*?severity: (\w+)/g)) {
        const { stdout } = amtool(
          'config',
          'routes',
          'test',
          config,
          `alertname=${name}`,
          `severity=${severity}`,
        )
        assert.equal(stdout.trim(), severity === 'critical' ? 'on-call' : 'team', name)
      }
      const sample = readFileSync(join(folder, 'alertmanager.yml'), 'utf8')
      const named = [...sample.matchAll(/BundleConsole(\w+|\([\w|]+\))/g)].flatMap(([, names = '']) =>
        names.replace(/[()]/g, '').split('|'),
      )
      assert.ok(named.length > 10)
      for (const name of named) assert.ok(alerts.includes(`alert: BundleConsole${name}\n`), name)
    },
  )
})
