import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runCommand } from './command-line.ts'

const TEMPLATES = fileURLToPath(new URL('../template', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'plugin-sdk-'))
after(() => rmSync(folder, { recursive: true }))

function run(...args: string[]) {
  const printed: string[] = []
  const errors: string[] = []
  const code = runCommand(args, TEMPLATES, {
    print: (text) => printed.push(text),
    printError: (text) => errors.push(text),
  })
  return { code, printed: printed.join('\n'), errors: errors.join('\n') }
}

const MANIFEST = `{
  "bundle": { "environmentKey": "production", "bundleId": "crm-suite" },
  "version": "2.0.0",
  "title": "CRM",
  "$defs": { "address": { "type": "object", "required": ["city"], "properties": { "city": { "type": "string" } } } },
  "resources": [
    {
      "kind": "MODULE",
      "name": "core",
      "title": "Core",
      "moduleId": "module-core",
      "properties": {
        "displayName": { "kind": "DATA", "schema": { "type": "string" }, "required": true },
        "plan": { "kind": "DATA", "schema": { "enum": ["team", "o'ne", null] } },
        "seats": { "kind": "DATA", "schema": { "type": ["integer", "null"] } },
        "places": { "kind": "DATA", "schema": { "type": "array", "items": { "$ref": "#/$defs/address" } } },
        "more": { "kind": "DATA", "schema": true },
        "hidden": { "kind": "DATA", "schema": { "type": "boolean" } },
        "tenantId": { "kind": "DATA", "schema": { "type": "string" }, "required": true },
        "mail": { "kind": "SERVICE_REFERENCE_MAP" }
      }
    }
  ],
  "plugins": [
    {
      "pluginId": "tenants",
      "order": 1,
      "failurePolicy": "FAIL_FAST",
      "configuration": { "schemaVersion": "1", "values": {} },
      "resources": [
        {
          "object": { "type": "MODULE", "moduleId": "module-core" },
          "readProperties": ["displayName", "plan", "seats", "places", "more", "tenantId"],
          "writeProperties": ["tenantId"],
          "credentialProperties": ["mail"]
        }
      ]
    }
  ]
}
`
const file = join(folder, 'manifest.json')

function checkText(text: string) {
  writeFileSync(file, text)
  const { code, printed, errors } = run('check', file)
  return {
    code,
    printed: printed.replaceAll(file, 'manifest.json'),
    errors: errors.replaceAll(file, 'manifest.json'),
  }
}

test('a valid manifest is told with what it contains', () => {
  const expected = {
    code: 0,
    errors: '',
    printed: 'manifest.json: crm-suite 2.0.0 is valid, with 1 resource and 1 plugin',
  }
  assert.deepEqual(checkText(MANIFEST), expected)
  const withSchema = MANIFEST.replace('{', '{ "$schema": "./schema.json",')
  assert.deepEqual(checkText(`\uFEFF${withSchema.replaceAll('\n', '\r\n')}`), expected)
})

test('all that is wrong in the form is told by line and column', () => {
  const { code, errors } = checkText(
    MANIFEST.replace('"MODULE",\n      "name"', '"GATE",\n      "name"').replace('"order": 1', '"rank": 1'),
  )
  assert.equal(code, 1)
  assert.deepEqual(
    errors.split('\n').map((line) => line.replace(/: .*/, '')),
    ['manifest.json:8:7', 'manifest.json:25:5', 'manifest.json:27:7'],
  )
  assert.match(
    errors,
    /:27:7: \/plugins\/0\/rank: Is not a member of this object; its members are pluginId, order, .*resources$/,
  )
  assert.match(errors, /^manifest\.json:8:7: \/resources\/0\/kind: Must be one of MODULE, /)
})

test('names that belong together are compared', () => {
  const { errors } = checkText(
    MANIFEST.replace('"writeProperties": ["tenantId"]', '"writeProperties": ["tenantId", "accountId"]'),
  )
  assert.equal(
    errors,
    'manifest.json:34:43: /plugins/0/resources/0/writeProperties/1: The Module has no property accountId',
  )
})

test('a text that is not JSON is told by the place where it ends to be JSON', () => {
  assert.match(checkText(MANIFEST.replace('"order": 1,', '"order": 1')).errors, /^manifest\.json:28:7: /)
  assert.match(
    checkText(MANIFEST.replace('"title": "CRM"', '"version": "2.0.0"')).errors,
    /^manifest\.json:4:3: .*duplicated/,
  )
  assert.match(run('check', join(folder, 'nothing.json')).errors, /cannot be read/)
})

test('types name the values, references and writes of each plugin', () => {
  writeFileSync(file, MANIFEST)
  const { code, printed } = run('types', file)
  assert.equal(code, 0)
  assert.equal(
    printed.slice(printed.indexOf('declare')),
    `declare module '@bundle-console/plugin-sdk' {
  interface Plugins {
    'tenants': {
      'production/crm-suite/MODULE/core': {
        values: {
          'displayName'?: string
          'plan'?: 'team' | 'o\\'ne' | null
          'seats'?: number | null
          'places'?: ({ 'city': string })[]
          'more'?: JsonValue
          'tenantId'?: string
        }
        references: {
          'mail'?: Extract<Reference, { '@type': 'ServiceReferenceMap' }>
        }
        writes: {
          'tenantId': string
        }
      }
    }
  }
}`,
  )
})

test('a schema that refers to itself has a type that ends', () => {
  writeFileSync(
    file,
    MANIFEST.replace(
      '"properties": { "city": { "type": "string" } }',
      '"properties": { "city": { "$ref": "#/$defs/address" } }',
    ),
  )
  const { code, printed } = run('types', file)
  assert.equal(code, 0)
  assert.match(printed, /\{ 'city': JsonValue \}/)
})

test('a manifest of a stranger cannot control the terminal, nor add to its types (C06)', () => {
  const odd = String.raw`\u001b]0;\u202e\n} declare const evil: 1`
  const city = '"properties": { "city": { "type": "string" } }'
  writeFileSync(file, MANIFEST.replace(city, `"properties": { "${odd}": { "type": "string" } }`))
  const { code, printed } = run('types', file)
  assert.equal(code, 0)
  assert.match(printed, /\{ '\\u001b\]0;\\u202e\\u000a\} declare const evil: 1'\?: string \}/)
  writeFileSync(file, MANIFEST.replace('"version"', `"${odd}": 1, "version"`))
  const { errors } = run('check', file)
  assert.match(errors, /declare const evil/)
  assert.doesNotMatch(printed + errors, /[\u001b\u202e]/)
})

test('a schema that refers to itself many times has a type that ends', () => {
  const many = Array.from({ length: 200 }, (_, index) => `"p${index}": { "$ref": "#/$defs/address" }`)
  writeFileSync(
    file,
    MANIFEST.replace('"properties": { "city": { "type": "string" } }', `"properties": { ${many.join()} }`),
  )
  const { code, printed } = run('types', file)
  assert.equal(code, 0)
  assert.ok(printed.length < 1_000_000, `${printed.length} characters`)
})

test('a template is copied, and nothing is replaced', () => {
  for (const [option, more] of [
    [[], ['plugin.mjs']],
    [
      ['--typescript'],
      ['main.ts', 'manifest.d.ts', 'plugin.test.ts', 'plugin.ts', 'store.ts', 'tsconfig.json'],
    ],
    [
      ['--postgres'],
      ['main.ts', 'manifest.d.ts', 'plugin.test.ts', 'plugin.ts', 'store.ts', 'tsconfig.json'],
    ],
  ] as const) {
    const target = join(folder, `new${option.join('')}`)
    const { code, printed } = run('init', target, ...option)
    assert.equal(code, 0)
    const isTyped = option.length > 0
    for (const name of more) assert.ok(printed.includes(name), `${name} is not named`)
    assert.equal(printed.includes('npm install pg'), option[0] === '--postgres')
    assert.equal(printed.includes('npm install --save-dev typescript'), isTyped)
    assert.deepEqual(
      readdirSync(target).toSorted(),
      [
        '.gitignore',
        ...(isTyped ? ['.github', 'package.json'] : []),
        ...more,
        'manifest.json',
        'plugin-check.json',
        'request.json',
      ].toSorted(),
    )
    assert.equal(existsSync(join(target, '.github/workflows/plugin.yml')), isTyped)
    // what the plugin and its checker leave there
    assert.match(readFileSync(join(target, '.gitignore'), 'utf8'), /^data\/\n\.plugin-check\/$/m)
    assert.equal(run('check', join(target, 'manifest.json')).code, 0)
    const before = readFileSync(join(target, 'request.json'), 'utf8')
    writeFileSync(join(target, 'request.json'), 'mine')
    assert.match(run('init', target, ...option).errors, /^Nothing was copied\. .*request\.json/)
    assert.equal(readFileSync(join(target, 'request.json'), 'utf8'), 'mine')
    assert.notEqual(before, 'mine')
  }
})

test('a package.json stays, and becomes one of modules; a .gitignore stays', () => {
  const target = join(folder, 'existing')
  mkdirSync(target)
  writeFileSync(join(target, '.gitignore'), 'mine')
  assert.equal(run('init', target, '--typescript').code, 0)
  assert.deepEqual(JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')), {
    private: true,
    type: 'module',
  })
  assert.equal(readFileSync(join(target, '.gitignore'), 'utf8'), 'mine')
})

test('what is not understood gets the usage', () => {
  for (const args of [[], ['start'], ['check', 'a', 'b'], ['check', '--typescript'], ['init', '--vue']])
    assert.equal(run(...args).code, 2, args.join(' '))
  assert.match(run('--help').printed, /plugin-sdk init/)
})
