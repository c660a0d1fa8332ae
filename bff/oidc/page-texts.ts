import type { Language } from './language.ts'

const en = {
  product: 'Bundle Console',
  signIn: 'Sign in',
  username: 'Username',
  password: 'Password',
  wrong: 'Wrong username or password.',
  incomplete: 'Both a username and a password are needed.',
  limited: 'There were too many attempts. Wait a few minutes, then try again.',
  again: 'Sign in again',
  asSomebodyElse: 'Sign in as somebody else',
  expiredTitle: 'This sign-in is no longer valid',
  expired:
    'It took too long, was finished before, or began in another browser. Nothing is lost: begin again.',
  failedTitle: 'Signing in did not work',
  failed: 'The identity provider did not confirm who you are.',
  unreachableTitle: 'The identity provider cannot be reached',
  unreachable: 'The console is up, but it cannot ask who you are. Try again in a moment.',
  noRoleTitle: 'You have no access yet',
  noRole: 'You are known here as {name}, but you have no role in this console. Ask an administrator for one.',
  limitedTitle: 'Too many sign-ins',
}

export type PageTexts = typeof en

const zh: PageTexts = {
  product: 'Bundle Console',
  signIn: '登录',
  username: '用户名',
  password: '密码',
  wrong: '用户名或密码不正确。',
  incomplete: '请输入用户名和密码。',
  limited: '尝试次数过多。请等待几分钟后重试。',
  again: '重新登录',
  asSomebodyElse: '以其他身份登录',
  expiredTitle: '此次登录已失效',
  expired: '可能是超时、已完成，或在另一个浏览器中开始。不会丢失任何内容，请重新登录。',
  failedTitle: '登录未成功',
  failed: '身份提供方未能确认您的身份。',
  unreachableTitle: '无法连接身份提供方',
  unreachable: '控制台运行正常，但暂时无法确认您的身份。请稍后重试。',
  noRoleTitle: '您还没有访问权限',
  noRole: '您以 {name} 的身份登录，但在此控制台中没有任何角色。请联系管理员授予角色。',
  limitedTitle: '登录过于频繁',
}

/** The words of the sign-in pages. */
export const pageTexts: Record<Language, PageTexts> = { en, zh }
