import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { parseEgressAllow } from '#http-kit/egress.ts'
import { testAuthority, testCertificate, type TestCertificate } from '#http-kit/testing-certificates.ts'
import { expectAnswers, NEVER_RECEIVED, UNKNOWN } from '../harness/failure-panel.ts'
import type { FailureAnswers } from '../harness/failure-panel.ts'
import { register, registration, SHORT } from '../harness/plugin-registration.ts'
import { expect, test } from '../harness/test.ts'

interface NotCalled extends FailureAnswers {
  chinese: { title: string; next: string }
}

/** The plugin is not called, because its registration is wrong. */
const NOT_CALLED: readonly NotCalled[] = [
  {
    title: 'The plugin’s host was not found',
    says: [NEVER_RECEIVED, 'ask an administrator to correct the endpoint'],
    neverSays: [UNKNOWN],
    isUsedUp: true,
    next: 'Administrator: Correct the endpoint',
    chinese: { title: '找不到插件的主机', next: '管理员：更正端点地址' },
  },
  {
    title: 'The secure connection to the plugin failed',
    says: [
      NEVER_RECEIVED,
      'Check that its endpoint uses HTTPS',
      'may respond without HTTPS',
      'client certificate',
    ],
    neverSays: [UNKNOWN],
    isUsedUp: true,
    next: 'Plugin owner: Check the changed endpoint with an administrator',
    chinese: { title: '无法与插件建立安全连接', next: '插件负责人：与管理员确认更改后的端点' },
  },
  ...[
    {
      title: 'The plugin’s certificate is not trusted',
      todo: 'signed by an authority',
      chinese: '插件的证书不受信任',
    },
    {
      title: 'The plugin’s certificate has expired',
      todo: 'renew the certificate',
      chinese: '插件的证书已过期',
    },
    {
      title: 'The plugin’s certificate is not valid yet',
      todo: 'a certificate that is valid now',
      chinese: '插件的证书尚未生效',
    },
    {
      title: 'The plugin’s certificate is for another host',
      todo: 'names the endpoint’s host',
      chinese: '插件的证书与主机名不符',
    },
  ].map(({ title, todo, chinese }): NotCalled => ({
    title,
    says: [NEVER_RECEIVED, todo],
    neverSays: [UNKNOWN],
    isUsedUp: true,
    next: 'Plugin owner: Fix the certificate or HTTPS',
    chinese: { title: chinese, next: '插件负责人：修复证书或 HTTPS' },
  })),
  {
    title: 'The plugin’s endpoint is not allowed',
    says: [NEVER_RECEIVED, 'allow the endpoint in this deployment'],
    neverSays: [UNKNOWN],
    isUsedUp: true,
    next: 'Administrator: Allow the endpoint',
    chinese: { title: '插件的端点地址未被放行', next: '管理员：放行端点地址' },
  },
  {
    title: 'The plugin was disabled or not registered',
    says: [NEVER_RECEIVED, 'disabled the plugin', 'not called'],
    neverSays: [UNKNOWN],
    next: 'Administrator: Decide with Aisha Rahman whether to enable the plugin',
    chinese: { title: '插件已停用或未注册', next: '管理员：与 Aisha Rahman' },
  },
]

test('a plugin that cannot be called is not said to have acted, in English and in Chinese', async ({
  system,
  signIn,
}) => {
  test.setTimeout(180_000)
  const before = await registration(system)
  const owner = { team: 'Integrations', contact: 'mailto:integrations@example.com' }
  const given = { ...before, ...SHORT, owner }
  const page = await signIn('sam')
  const chinesePage = await signIn('sam')
  await chinesePage.getByRole('button', { name: /sam/i }).click()
  await chinesePage.getByRole('dialog').getByText('简体中文').click()
  const cases = NOT_CALLED.values()
  // it is looked at while its cause lasts: after a change, the page says that a retry may help
  const failsAsExpected = async () => {
    const { value: failure } = cases.next()
    if (failure === undefined) throw new Error('there are more causes than cases')
    const { operation } = await system.install(system.newScope(), 'crm-suite', '1.0.0')
    await expectAnswers(page, operation.operationId, failure)
    await chinesePage.goto(`/operations/${operation.operationId}`)
    const panel = chinesePage.getByRole('region', { name: '失败原因' })
    await expect(panel.getByRole('heading', { name: failure.chinese.title })).toBeVisible()
    await expect(panel).toContainText('插件从未收到此调用')
    await expect(panel).toContainText(failure.chinese.next)
    await expect(panel).toContainText('否。')
    // nothing stays in English but names and the code
    await expect(panel).not.toContainText(/The plugin|Check|Ask/)
  }
  const authority = await testAuthority()
  const certificates = [
    await testCertificate(),
    await testCertificate({ by: authority, isExpired: true }),
    await testCertificate({ by: authority, isEarly: true }),
    await testCertificate({ by: authority, names: ['plugin.example.com'] }),
  ]
  // the runtime of this system runs in this process
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, authority.cert])
  try {
    await register(system, { ...given, endpoint: 'http://no-such-host.invalid/lifecycle' })
    await failsAsExpected()
    await register(system, { ...given, endpoint: before.endpoint.replace('http:', 'https:') })
    await failsAsExpected()
    for (const certificate of certificates) {
      await using plugin = await startTlsServer(certificate)
      await register(system, { ...given, endpoint: `${plugin.url}/lifecycle` })
      await failsAsExpected()
    }
    // allowed when it was registered, and no longer when it is called
    system.egressAllow.push(...parseEgressAllow('http://192.0.2.1'))
    await register(system, { ...given, endpoint: 'http://192.0.2.1/lifecycle' })
    system.egressAllow.splice(1)
    await failsAsExpected()
    await register(system, { ...given, enabled: false })
    await failsAsExpected()
    const { operationId } = page.url().match(/operations\/(?<operationId>[-\da-f]+)/)?.groups ?? {}
    await register(system, given)
    await expectAnswers(page, operationId ?? '', {
      title: 'The plugin was disabled or not registered',
      says: [NEVER_RECEIVED, 'What this failure names was changed since then'],
      neverSays: ['before it is enabled again'],
      next: 'Support: Retry the operation',
    })
    await chinesePage.reload()
    await expect(chinesePage.getByRole('region', { name: '失败原因' })).toContainText('在失败之后已有变更')
  } finally {
    setDefaultCACertificates(trusted)
    system.egressAllow.splice(1)
    await register(system, { ...before, owner })
  }
})

/** A server that would answer, if a client trusted its certificate. */
async function startTlsServer(certificate: TestCertificate) {
  const server = createServer(certificate, (_, outgoing) => outgoing.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
