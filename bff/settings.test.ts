import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, test } from 'node:test'
import * as z from 'zod'
import { readSettings, SettingsError } from '#http-kit/settings.ts'
import { authEnvironment, authSettingsOf, readConsoleSettings } from './settings.ts'
import { EVERYWHERE } from './testing.ts'

const read = (base: string) =>
  readConsoleSettings({ RUNTIME_API_BASE: base, RUNTIME_API_CREDENTIAL: 'a-credential' }).runtime?.baseUrl

test('the address of a runtime may end with slashes', () => {
  assert.equal(read('https://platform.example.org//'), 'https://platform.example.org/bundle-runtime/api')
})

test('the address of a runtime has no user, query or fragment, which no request could be sent with', () => {
  for (const base of [
    'https://user:password@platform.example.org',
    'https://platform.example.org?x=1',
    'https://platform.example.org#x',
  ])
    assert.throws(() => read(base), /RUNTIME_API_BASE.*without user, query and fragment/)
  assert.throws(() => read('https://jon:canary@runtime.example.org'), /^(?!.*canary).*RUNTIME_API_BASE/)
  assert.throws(
    () => read('https://x/bundle-runtime/api/'),
    /RUNTIME_API_BASE.*without \/bundle-runtime\/api/,
  )
})

describe('the settings of sign-in', () => {
  const read = (env: Record<string, string>) => {
    const settings = readSettings(z.object(authEnvironment), env)
    return authSettingsOf(settings, 'http://localhost:8080')
  }
  const refusal = (env: Record<string, string>): string => {
    try {
      read(env)
    } catch (error) {
      assert.ok(error instanceof SettingsError)
      return error.message
    }
    return 'accepted'
  }

  it('have defaults', () => {
    assert.deepEqual(read({}), {
      publicOrigin: 'http://localhost:8080',
      externalIdp: null,
      rolesClaim: 'roles',
      roleMap: null,
      users: null,
      limits: { idleSeconds: 900, absoluteSeconds: 28_800 },
      recentSignInSeconds: 300,
      trustedProxyHops: 0,
      servesMetrics: false,
      environmentMarks: [{ environmentKey: 'production', word: 'Production', color: 'red' }],
    })
  })

  it('have no idle time that is longer than a session', () => {
    const limits = (idle: string, absolute: string) =>
      read({ SESSION_IDLE_SECONDS: idle, SESSION_ABSOLUTE_SECONDS: absolute }).limits
    assert.deepEqual(limits('600', '600'), { idleSeconds: 600, absoluteSeconds: 600 })
    assert.throws(() => limits('601', '600'), /^SettingsError: SESSION_IDLE_SECONDS .*\(600\).*"601"/)
    assert.equal(read({ SESSION_ABSOLUTE_SECONDS: '600' }).limits.idleSeconds, 600)
  })

  it('accept users with role names and scoped roles', () => {
    const scope = { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 7 }
    const users = [
      {
        username: 'ada',
        password: 'eight is',
        roles: ['admin', { role: 'viewer' }, { role: 'operator', scope }],
      },
    ]
    assert.deepEqual(read({ CONSOLE_USERS: JSON.stringify(users) }).users, [
      {
        username: 'ada',
        password: 'eight is',
        roles: [EVERYWHERE('admin'), EVERYWHERE('viewer'), { role: 'operator', scope }],
      },
    ])
  })

  it('report in one line what is wrong with users, without passwords', () => {
    const user = { username: 'ada', password: 'hush-hush', roles: ['viewer'] }
    const wrong: [unknown, RegExp][] = [
      [
        'no list',
        /a JSON list of .* is needed, with passwords of 8 or more characters and the roles viewer, operator, support, admin$/,
      ],
      [[], /is needed, with passwords of 8 or more characters .*admin$/],
      [[{ ...user, password: 'hush-hu' }], /8 or more characters .*; entry 1 is wrong at password$/],
      [[user, { ...user, roles: ['boss'] }], /entry 2 is wrong at roles\.0$/],
      [
        [{ ...user, roles: [{ role: 'viewer', scope: { environment: 'prod' } }] }],
        /entry 1 is wrong at roles\.0/,
      ],
      [[{ username: 'ada', password: 'hush-hush' }], /entry 1 is wrong at roles$/],
      [[{ ...user, username: 'a b' }], /entry 1 is wrong at username$/],
      [[user, { ...user, hush: 'Ada' }], /entry 2 has an unknown field$/],
      [[user, 'ada'], /entry 2 is wrong$/],
      [[user, { ...user, username: 'ADA' }], /the username "ada" is listed twice$/],
    ]
    for (const [users, message] of wrong) {
      const line = refusal({ CONSOLE_USERS: JSON.stringify(users) })
      assert.match(line, /^CONSOLE_USERS is wrong: [^\n]*$/)
      assert.match(line, message)
      assert.ok(!line.includes('hush'))
    }
    assert.match(
      refusal({ CONSOLE_USERS: '[{"password":"hush-hush"' }),
      /^CONSOLE_USERS is wrong: a JSON list/,
    )
    const unclear: [text: string, message: RegExp][] = [
      [
        '[{"username":"ada",\n"hush":"hush-hush","hush":""}]',
        /; The key is duplicated in one object \(line 2, column 20\)$/,
      ],
      ['[{"username":"ada","hush-hush"}]', /; A colon is expected after the key \(line 1, column 31\)$/],
      [
        '[{"username":"ada","password":"hush\\u0000","roles":[]}]',
        /; A string contains the character NUL \(/,
      ],
    ]
    for (const [users, message] of unclear) {
      const line = refusal({ CONSOLE_USERS: users })
      assert.match(line, message)
      assert.ok(!line.includes('hush'))
    }
  })

  it('require an issuer over https, with client and secret', () => {
    const whole = {
      OIDC_ISSUER: 'https://id.example.org/realm',
      OIDC_CLIENT_ID: 'console',
      OIDC_CLIENT_SECRET: 'long enough',
    }
    assert.deepEqual(read(whole).externalIdp, {
      issuer: 'https://id.example.org/realm',
      clientId: 'console',
      clientAuth: 'client_secret_basic',
      clientSecret: 'long enough',
      scopes: 'openid profile',
      recentSignInBy: 'auth_time',
      askSeconds: 60,
    })
    for (const issuer of ['http://127.0.0.1:9000', 'https://id.example.org/realms/@acme'])
      assert.equal(refusal({ ...whole, OIDC_ISSUER: issuer }), 'accepted')
    assert.match(
      refusal({ ...whole, OIDC_ISSUER: 'http://id.example.org' }),
      /^OIDC_ISSUER is wrong: https is needed/,
    )
    assert.match(refusal({ ...whole, OIDC_ISSUER: 'id.example.org' }), /^OIDC_ISSUER is wrong/)
    for (const more of ['/.well-known/openid-configuration', '?realm=x', '#realm', '?', '#'])
      assert.match(
        refusal({ ...whole, OIDC_ISSUER: `https://id.example.org${more}` }),
        /the issuer is needed, without/,
      )
    assert.match(
      refusal({ ...whole, OIDC_ISSUER: 'https://jon:canary@id.example.org' }),
      /^(?!.*canary).*the issuer is needed, without user/,
    )
    assert.match(refusal({ ...whole, OIDC_CLIENT_ID: '' }), /^OIDC_CLIENT_ID is not set/)
    assert.match(refusal({ ...whole, OIDC_ISSUER: '' }), /^OIDC_ISSUER is not set: OIDC_CLIENT_ID needs it/)
    for (const [name, value] of [
      ['OIDC_CLIENT_SECRET', 'long enough'],
      ['OIDC_ROLES_CLAIM', 'groups'],
      ['OIDC_ROLE_MAP_FILE', '/none'],
      ['OIDC_REFRESH_SECONDS', '60'],
    ] as const)
      assert.equal(
        refusal({ [name]: value }),
        `OIDC_ISSUER is not set: ${name} needs it; set it, or remove ${name}`,
      )
    for (const name of ['realm_access..roles', '.roles', 'roles.'])
      assert.match(
        refusal({ ...whole, OIDC_ROLES_CLAIM: name }),
        /^OIDC_ROLES_CLAIM is wrong: a name is needed/,
      )
    assert.equal(refusal({ ...whole, OIDC_ROLES_CLAIM: 'https://console.example.org/roles' }), 'accepted')
    assert.match(refusal({ ...whole, OIDC_CLIENT_SECRET: '' }), /^OIDC_CLIENT_SECRET is not set/)
    assert.match(refusal({ SESSION_IDLE_SECONDS: '0' }), /^SESSION_IDLE_SECONDS is wrong/)
    assert.match(refusal({ ...whole, OIDC_SCOPES: 'profile groups' }), /openid among them/)
    assert.match(refusal({ ...whole, OIDC_SCOPES: 'openid  groups' }), /^OIDC_SCOPES is wrong/)
    assert.match(refusal({ ...whole, OIDC_CLIENT_AUTH: 'none' }), /one of client_secret_basic, /)
  })

  describe('from files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bff-settings-'))
    after(() => rmSync(folder, { recursive: true }))
    const file = (name: string, text: string, mode = 0o600): string => {
      const path = join(folder, name)
      writeFileSync(path, text)
      chmodSync(path, mode)
      return path
    }
    const whole = { OIDC_ISSUER: 'https://id.example.org', OIDC_CLIENT_ID: 'console' }
    const bySecret = { ...whole, OIDC_CLIENT_SECRET: 'long enough' }

    it('read the private key of the client as PEM or JWK, which only its owner may read (F04)', () => {
      const byKey = (path: string) => ({
        ...whole,
        OIDC_CLIENT_AUTH: 'private_key_jwt',
        OIDC_CLIENT_KEY_FILE: path,
      })
      const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
      const pem = file('ec.pem', ec.export({ type: 'pkcs8', format: 'pem' }).toString())
      assert.equal(read(byKey(pem)).externalIdp?.clientKey?.algorithm, 'ES256')
      const jwk = file('ec.json', JSON.stringify({ ...ec.export({ format: 'jwk' }), kid: 'one' }))
      assert.equal(read(byKey(jwk)).externalIdp?.clientKey?.jwk.kid, 'one')
      assert.equal(read(byKey(jwk)).externalIdp?.clientSecret, null)
      assert.match(refusal(byKey(file('open.pem', 'x', 0o644))), /may be read or changed by other users/)
      assert.match(refusal(byKey(file('bad.pem', 'hush'))), /is not a private key in PEM or JWK form/)
      assert.match(refusal(byKey(join(folder, 'none'))), /does not exist$/)
      assert.match(
        refusal({ ...whole, OIDC_CLIENT_AUTH: 'private_key_jwt' }),
        /^OIDC_CLIENT_KEY_FILE is not set/,
      )
      assert.match(
        refusal({ ...whole, OIDC_CLIENT_SECRET: 'long enough', OIDC_CLIENT_KEY_FILE: pem }),
        /^OIDC_CLIENT_KEY_FILE is wrong: it needs/,
      )
    })

    it('read the roles of the values of the claim', () => {
      const map = (text: string) => ({ ...bySecret, OIDC_ROLE_MAP_FILE: file('map.json', text) })
      const roles = { 'sg-admins': ['admin'], 'team-a': ['operator@prod', { role: 'viewer' }] }
      assert.deepEqual(
        [...(read(map(JSON.stringify(roles))).roleMap ?? [])],
        [
          ['sg-admins', [EVERYWHERE('admin')]],
          ['team-a', [{ role: 'operator', scope: { environmentKey: 'prod' } }, EVERYWHERE('viewer')]],
        ],
      )
      assert.match(
        refusal(map('{"a":["admin"],"b":["admin","boss"]}')),
        /the roles of "b", entry 2 are wrong/,
      )
      assert.match(refusal(map('{"a":"admin"}')), /the roles of "a" are wrong/)
      assert.match(refusal(map('["admin"]')), /a JSON object is needed/)
      assert.match(refusal(map('{"a":["admin"],"a":[]}')), /duplicated/)
      assert.match(refusal({ ...bySecret, OIDC_ROLE_MAP_FILE: join(folder, 'none') }), /does not exist$/)
    })
  })
})

const marks = (text: string) => readConsoleSettings({ ENVIRONMENT_MARKS: text }).auth.environmentMarks

test('environments are marked as the list says', () => {
  const live = { environmentKey: 'live', word: 'Live', color: 'violet' }
  assert.deepEqual(marks(JSON.stringify([live])), [live])
  assert.deepEqual(marks('[]'), [])
})

test('a list of marks that cannot be used is refused with its form', () => {
  for (const text of [
    'production',
    '{}',
    '[{"environmentKey":"live","word":"Live"}]',
    '[{"environmentKey":"live","word":"Live","color":"pink"}]',
    '[{"environmentKey":"live","word":" ","color":"red"}]',
    '[{"environmentKey":"live","word":"a word that is too long for it","color":"red"}]',
  ])
    assert.throws(
      () => marks(text),
      /ENVIRONMENT_MARKS.*a JSON list of \{"environmentKey","word","color"\} is needed/,
      text,
    )
  const mark = '{"environmentKey":"live","word":"Live","color":"red"}'
  assert.throws(
    () => marks(`[${mark},${mark}]`),
    /ENVIRONMENT_MARKS.*each environment can be marked only once/,
  )
})
