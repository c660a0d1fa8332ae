import { isLanguage, LANGUAGES } from '#contract/protocol/languages.ts'
import type { Language } from '#contract/protocol/languages.ts'

const en = {
  product: 'Bundle Console',
  signIn: 'Sign in',
  username: 'Username',
  password: 'Password',
  wrong: 'Incorrect username or password.',
  incomplete: 'Enter your username and password.',
  limited: 'Too many attempts. Wait a few minutes, then try again.',
  again: 'Sign in again',
  otherAccount: 'Sign in with another account',
  expiredTitle: 'This sign-in has expired',
  expired: 'It took too long, was already completed, or was started in another browser. Sign in again.',
  failedTitle: 'Sign-in failed',
  failed: 'The identity provider did not confirm your identity.',
  unreachableTitle: 'The identity provider can’t be reached',
  unreachable: 'The console is running but can’t verify your identity. Try again in a moment.',
  noRoleTitle: 'You don’t have access yet',
  noRole: 'You are signed in as {name}, but you have no role in this console. Ask an administrator for one.',
  limitedTitle: 'Too many sign-in attempts',
  otherPersonTitle: 'Sign in as the same person',
  otherPerson:
    'You signed in as {name}, but another person is signed in to the console. Only that person can confirm. Nothing was changed.',
  notRecentTitle: 'The sign-in was not confirmed',
  notRecent:
    'The identity provider reported an earlier sign-in. Sign in again, and enter your password if it asks for it.',
  noAuthTime:
    'The identity provider did not report when it authenticated you (auth_time). An administrator must configure this.',
  futureAuthTime:
    'The identity provider reported a sign-in in the future. Its clock is wrong; ask an administrator.',
  requestId: 'Request ID',
  back: 'Back to the console',
}

type PageTexts = typeof en

const zh: PageTexts = {
  product: 'Bundle 控制台',
  signIn: '登录',
  username: '用户名',
  password: '密码',
  wrong: '用户名或密码不正确。',
  incomplete: '请输入用户名和密码。',
  limited: '尝试次数过多，请几分钟后再试。',
  again: '重新登录',
  otherAccount: '使用其他账号登录',
  expiredTitle: '本次登录已失效',
  expired: '登录超时、已经完成，或是在其他浏览器中发起的。请重新登录。',
  failedTitle: '登录失败',
  failed: '身份提供方未能确认您的身份。',
  unreachableTitle: '无法连接身份提供方',
  unreachable: '控制台运行正常，但暂时无法验证您的身份。请稍后重试。',
  noRoleTitle: '您还没有访问权限',
  noRole: '您已以 {name} 的身份登录，但在此控制台中没有任何角色。请向管理员申请。',
  limitedTitle: '登录尝试过多',
  otherPersonTitle: '请以同一账号登录',
  otherPerson: '您以 {name} 的身份登录，与控制台当前登录的用户不同。只有该用户本人可以确认。未做任何更改。',
  notRecentTitle: '登录未获确认',
  notRecent: '身份提供方报告的是较早的一次登录。请重新登录，并在需要时输入密码。',
  noAuthTime: '身份提供方未说明何时验证过您的身份（auth_time）。此项须由管理员配置。',
  futureAuthTime: '身份提供方报告的登录时间晚于当前时间，其时钟有误。请联系管理员。',
  requestId: '请求 ID',
  back: '返回控制台',
}

/** The texts of the sign-in pages. */
export const pageTexts: Record<Language, PageTexts> = { en, zh }

/** The supported language that a browser prefers according to its `Accept-Language`. */
export function languageOf(acceptLanguage: string | undefined): Language {
  const preferences = (acceptLanguage ?? '').split(',').flatMap((part, index) => {
    const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
    const quality = parameters.map((text) => /^\s*q=([\d.]+)$/.exec(text)?.[1]).find((q) => q !== undefined)
    const [language] = tag.split('-', 1)
    return isLanguage(language)
      ? [{ language, quality: quality === undefined ? 1 : Number(quality), index }]
      : []
  })
  const [best] = preferences
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality || a.index - b.index)
  return best?.language ?? LANGUAGES[0]
}
