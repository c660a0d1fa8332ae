import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import { parse } from 'yaml'
import * as z from 'zod'
import { VARIABLES, SECRET_VARIABLES, fileVariable } from '#http-kit/known-variables.ts'
import type { Suite, SuiteReport, Violation } from '../../verification/suite.ts'
import { findPrograms } from '../debian-programs.ts'
import type { Programs } from '../debian-programs.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy')
const CHART = join(DEPLOY, 'helm/bundle-console')
const KUBERNETES_PAGE = join(DEPLOY, '../docs/operating/kubernetes.md')

const WANTED = {
  packages: [
    'golang-go',
    'golang-github-masterminds-sprig-dev',
    'golang-gopkg-yaml.v3-dev',
    'docker-compose',
  ],
  programs: ['go', 'docker-compose'],
}

/** Renders the Helm chart and the compose file, and checks what no schema says. */
export const MANIFESTS_SUITE: Suite = {
  name: 'manifests',
  title: 'the Helm chart renders, the compose file is valid, and both set only variables that exist',
  async run() {
    const programs = findPrograms(WANTED)
    if (typeof programs === 'string') return { skipped: programs, lines: [], trials: {}, violations: [] }
    const folder = mkdtempSync(join(tmpdir(), 'bundle-console-manifests-'))
    try {
      return report([...tryChart(programs, folder), ...tryCompose(programs)])
    } finally {
      rmSync(folder, { recursive: true, force: true })
      programs.remove()
    }
  },
}

interface Trial {
  name: string
  /** What is wrong, one line each. */
  wrong: string[]
}

function report(trials: readonly Trial[]): SuiteReport {
  const violations = trials.flatMap(({ name, wrong }): Violation[] =>
    wrong.map((seen) => ({ promise: name, seen })),
  )
  return { lines: trials.map(({ name }) => name), trials: { manifests: trials.length }, violations }
}

const Container = z.object({
  env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
  securityContext: z.object({ readOnlyRootFilesystem: z.literal(true) }),
})
const Volume = z.object({ secret: z.object({ items: z.array(z.object({ path: z.string() })).optional() }) })
const PodSpec = z.object({
  containers: z.array(Container),
  volumes: z.array(Volume.partial()),
  automountServiceAccountToken: z.literal(false),
})
const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.unknown().optional(),
})
type Manifest = z.output<typeof Manifest>

const REQUIRED = {
  runtime: { consoleKeys: '{"keys":[]}', egressAllow: ['10.0.0.0/8'] },
  console: { publicUrl: 'https://console.example.org' },
}
const PEERS = [{ namespaceSelector: {} }]
const DESTINATIONS = [{ to: [{ ipBlock: { cidr: '10.1.0.0/16' } }], ports: [{ port: 5432 }] }]
const EVERYTHING = {
  runtime: {
    ...REQUIRED.runtime,
    hasDirectUrl: true,
    hasReadUrl: true,
    worker: { autoscaling: { enabled: true } },
  },
  console: {
    ...REQUIRED.console,
    hasDirectUrl: true,
    oidc: {
      issuer: 'https://id.example.org',
      clientId: 'bundleconsole',
      clientAuth: 'private_key_jwt',
      hasRoleMap: true,
    },
  },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'console-tls' },
  networkPolicy: {
    consoleFrom: PEERS,
    pluginsFrom: PEERS,
    metricsFrom: PEERS,
    databaseTo: DESTINATIONS,
    pluginsTo: DESTINATIONS,
    providerTo: DESTINATIONS,
  },
  monitoring: { serviceMonitor: true, rules: true, dashboard: true, labels: { release: 'prometheus' } },
}
const WORKLOADS = ['console', 'migrate', 'runtime', 'worker', 'doctor'].map(
  (part) => `bundle-console-${part}`,
)

function* tryChart(programs: Programs, folder: string): Generator<Trial> {
  const render = buildRenderer(programs, folder)
  yield { name: 'the chart with the required values', wrong: judgeChart(render(REQUIRED), 16) }
  yield { name: 'the chart with every option', wrong: judgeChart(render(EVERYTHING), 23) }
  yield* tryCombinations(render)
  yield { name: 'the values of the page about Kubernetes', wrong: tryPage(render) }
  yield* trySchema()
  for (const [name, values] of Object.entries({
    'runtime.consoleKeys': { ...REQUIRED, runtime: { egressAllow: ['10.0.0.0/8'] } },
    'runtime.egressAllow': { ...REQUIRED, runtime: { consoleKeys: '{}' } },
    'console.publicUrl': { ...REQUIRED, console: {} },
  })) {
    const { error } = render(values)
    yield {
      name: `the chart without ${name} is refused`,
      wrong: error.includes(`${name} is required`) ? [] : [error || 'it is rendered'],
    }
  }
}

/** What an installation can leave out, each with its values. */
const OPTIONS: readonly Values[] = [
  { runtime: { hasDirectUrl: true }, console: { hasDirectUrl: true } },
  { runtime: { hasReadUrl: true } },
  { runtime: { worker: { autoscaling: { enabled: true } } } },
  { console: { oidc: { issuer: 'https://id.example.org', clientId: 'bundleconsole' } } },
  { ingress: { enabled: true, className: 'nginx', tlsSecret: 'console-tls', annotations: { a: 'b' } } },
  { networkPolicy: { enabled: false } },
  { monitoring: { serviceMonitor: true, labels: { release: 'prometheus' } } },
  { monitoring: { rules: true, runbookBase: 'https://git.example.org/docs/' } },
  { monitoring: { dashboard: true } },
]

type Values = Record<string, unknown>

const merged = (base: Values, over: Values): Values =>
  Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(over)])].map((key) => {
      const [before, after] = [base[key], over[key]]
      const isBoth = isValues(before) && isValues(after)
      return [key, isBoth ? merged(before, after) : key in over ? after : before]
    }),
  )
const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every combination of the options renders, and the schema accepts its values. */
function* tryCombinations(render: (values: object) => Rendered): Generator<Trial> {
  const wrong: string[] = []
  for (let chosen = 0; chosen < 2 ** OPTIONS.length; chosen++) {
    const values = OPTIONS.filter((_, index) => (chosen & (1 << index)) !== 0).reduce<Values>(
      merged,
      REQUIRED,
    )
    const rendered = render(values)
    const found = [...judgeChart(rendered), ...judgeRules(rendered, values), ...refusals(values)]
    wrong.push(...found.map((what) => `${JSON.stringify(values)}: ${what}`))
  }
  yield { name: `the chart with ${2 ** OPTIONS.length} combinations of its options`, wrong }
}

/** The rules are those of the file, with the links of the values. */
function judgeRules({ documents }: Rendered, { monitoring }: Values): string[] {
  const rules = documents.find(({ kind }) => kind === 'PrometheusRule')
  if (!isValues(monitoring) || monitoring['rules'] !== true)
    return rules === undefined ? [] : ['it has rules']
  const text = JSON.stringify(rules ?? '')
  return [
    ...(text.includes('BundleConsoleNoRuntime') ? [] : ['it lacks the rules']),
    ...(text.includes('https://git.example.org/docs/operating/alerts.md#')
      ? []
      : ['its links lack the base']),
    ...(text.includes('docs.example.org') ? ['it has links to nowhere'] : []),
  ]
}

function tryPage(render: (values: object) => Rendered): string[] {
  const page = readFileSync(KUBERNETES_PAGE, 'utf8')
  const blocks = [...page.matchAll(/^( *)```yaml\n([^]*?)^ *```/gm)].map(
    ([, indent = '', text = '']) => parse(text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')) as Values,
  )
  if (blocks.length < 2) return ['the page has no values']
  const values = blocks.reduce(merged, { runtime: { consoleKeys: '{"keys":[]}' } })
  return [...judgeChart(render(values)), ...refusals(values)]
}

const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as object
const defaults = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Values

/** What the schema of the chart refuses, as Helm does: it judges the defaults with the given values over them. */
const refusals = (values: Values): string[] =>
  new Validator(schema, '7', false)
    .validate(merged(defaults, values))
    .errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)

/** It accepts what `values.yaml` has, and no other name, type or word. */
function* trySchema(): Generator<Trial> {
  yield { name: 'the schema accepts values.yaml', wrong: refusals({}) }
  const wrongValues: readonly Values[] = [
    { networkPolicies: {} },
    { runtime: { egressAllowed: ['10.0.0.0/8'] } },
    { runtime: { egressAllow: '10.0.0.0/8' } },
    { runtime: { worker: { autoscaling: { enable: true } } } },
    { console: { publicUrl: 'console.example.org' } },
    { console: { replicas: 0 } },
    { console: { env: { 'not a variable': 'x' } } },
    { networkPolicy: { consoleFrom: [{ from: [] }] } },
    { image: { pullPolicy: 'always' } },
    { monitoring: { runbookBase: 'docs' } },
  ]
  for (const values of wrongValues)
    yield {
      name: `the schema refuses ${JSON.stringify(values)}`,
      wrong: refusals(values).length > 0 ? [] : ['it is accepted'],
    }
}

interface Rendered {
  documents: Manifest[]
  error: string
}

/** Helm's template engine and functions; Helm itself is not in Debian. */
function buildRenderer({ path, env }: Programs, folder: string): (values: object) => Rendered {
  const go = path('go')
  const packages = go.replace(/\/usr\/.*/, '/usr')
  const source = join(folder, 'src/render')
  mkdirSync(source, { recursive: true })
  cpSync(join(import.meta.dirname, 'render/main.go'), join(source, 'main.go'))
  const program = join(folder, 'render')
  const built = spawnSync(go, ['build', '-o', program, source], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      ...process.env,
      ...env,
      GOROOT: join(packages, 'lib/go'),
      // Go may be of this machine, and its packages unpacked
      GOPATH: [folder, env['GOPATH'] ?? '', join(packages, 'share/gocode')]
        .filter((path) => path !== '')
        .join(':'),
      GOCACHE: join(folder, 'cache'),
      GO111MODULE: 'off',
      CGO_ENABLED: '0',
    },
  })
  if (built.status !== 0)
    throw new Error(
      `the renderer cannot be built; with Go of this machine it needs the packages ${WANTED.packages.join(', ')}: ${built.stderr}`,
    )
  return (values) => {
    const { status, stdout, stderr } = spawnSync(program, [CHART, JSON.stringify(values)], {
      encoding: 'utf8',
    })
    if (status !== 0) return { documents: [], error: stderr }
    const lines = stdout.split('\n').filter((line) => line !== '')
    return { documents: lines.map((line) => Manifest.parse(JSON.parse(line))), error: '' }
  }
}

function judgeChart({ documents, error }: Rendered, expected?: number): string[] {
  if (error !== '') return [error]
  const names = documents.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  const pods = documents.flatMap((document) => podOf(document) ?? [])
  const variables = pods.flatMap(({ containers }) =>
    containers.flatMap(({ env }) => env.map(({ name }) => name)),
  )
  return [
    ...(expected === undefined || documents.length === expected
      ? []
      : [`it has ${documents.length} documents: ${names.join(', ')}`]),
    ...(pods.length === WORKLOADS.length ? [] : [`it has ${pods.length} workloads`]),
    ...(new Set(names).size === names.length ? [] : [`a name is used twice: ${names.join(', ')}`]),
    ...unknownVariables(variables),
    ...judgeSecrets(pods),
  ]
}

/** One pod, which migrates, gets some keys of its Secret: those that its variables name. */
function judgeSecrets(pods: readonly z.output<typeof PodSpec>[]): string[] {
  const limited = pods.flatMap(({ containers, volumes }) => {
    const items = volumes.flatMap(({ secret }) => secret?.items ?? [])
    const needed = containers.flatMap(({ env }) =>
      env.flatMap(({ value = '' }) => (value.startsWith('/secrets/') ? value.slice(9) : [])),
    )
    return items.length === 0 ? [] : [[items.map(({ path }) => path).join(), needed.join()]]
  })
  return limited.length === 1 && limited.every(([has, needs]) => has === needs)
    ? []
    : [`the keys of Secrets are ${JSON.stringify(limited)}`]
}

/** Throws if the pod is not as restricted as all must be. */
function podOf({ metadata, spec }: Manifest): z.output<typeof PodSpec> | null {
  if (!WORKLOADS.includes(metadata.name)) return null
  const template = z.object({ template: z.object({ spec: PodSpec }) }).safeParse(spec)
  if (template.success) return template.data.template.spec
  const isWorkload = z.union([z.object({ template: z.unknown() }), z.object({ containers: z.unknown() })])
  return isWorkload.safeParse(spec).success ? PodSpec.parse(spec) : null
}

const KNOWN: ReadonlySet<string> = new Set([...VARIABLES, ...SECRET_VARIABLES.map(fileVariable)])

const unknownVariables = (names: readonly string[]): string[] =>
  [...new Set(names)].filter((name) => !KNOWN.has(name)).map((name) => `the variable ${name} does not exist`)

const NEEDED = { EGRESS_ALLOW: '10.0.0.0/8', PUBLIC_URL: 'https://console.example.org' }

function* tryCompose({ path, env }: Programs): Generator<Trial> {
  const folder = join(DEPLOY, 'compose')
  const config = (settings: Record<string, string>) =>
    spawnSync(path('docker-compose'), ['-f', join(folder, 'compose.yaml'), 'config'], {
      encoding: 'utf8',
      env: { ...process.env, ...env, ...settings },
    })
  const { status, stdout, stderr } = config(NEEDED)
  const variables = [...stdout.matchAll(/^ {6}([A-Z_]+):/gm)].map(([, name = '']) => name)
  const programVariables = variables.filter((name) => !name.startsWith('POSTGRES_'))
  yield {
    name: 'the compose file',
    wrong:
      status === 0
        ? [...unknownVariables(programVariables), ...(programVariables.length > 0 ? [] : ['it sets nothing'])]
        : [stderr],
  }
  for (const name of Object.keys(NEEDED)) {
    const without = config({ ...NEEDED, [name]: '' })
    yield {
      name: `the compose file without ${name} is refused`,
      wrong: without.stderr.includes(`set ${name} to`) ? [] : [without.stderr || 'it is accepted'],
    }
  }
  yield {
    name: 'the proxy of the compose file is the sample of nginx',
    wrong: sameProxy(folder)
      ? []
      : ['deploy/compose/nginx.conf differs from deploy/nginx/bundle-console.conf'],
  }
}

/** From its rules on, and apart from the name of the consoles. */
function sameProxy(folder: string): boolean {
  const settings = (file: string): string => {
    const text = readFileSync(file, 'utf8')
    return text.slice(text.indexOf('    client_max_body_size'))
  }
  const sample = settings(join(DEPLOY, 'nginx/bundle-console.conf'))
  return settings(join(folder, 'nginx.conf')) === sample.replaceAll('http://bundle_console', '$consoles')
}
