import { afterEach, expect, test } from 'vitest'
import { ApiError, lostAnswer } from '../api/client.ts'
import { changeLocale } from './locale.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { codeTitle, errorView } from './describe-code.ts'
import { messageText } from './message-text.ts'

const notFound = new ApiError({
  ...lostAnswer,
  code: 'NOT_FOUND',
  title: 'Title of the response',
  message: 'Message of the response',
  remedy: 'Remedy of the response',
})

afterEach(() => changeLocale('en'))

test('English shows the texts of a response, and Chinese translates them', async () => {
  expect(errorView(notFound)).toMatchObject({
    title: 'Title of the response',
    message: 'Message of the response',
    remedy: 'Remedy of the response',
  })
  await changeLocale('zh')
  expect(errorView(notFound)).toMatchObject({ title: '未找到', message: 'Message of the response' })
})

test('a refusal with details is summarized by its code in Chinese, because the details are listed', async () => {
  const detail = {
    errorCode: 'PLUGIN_NOT_CHECKED',
    message: 'Plugin a has none.',
    parameters: { plugin: 'a' },
  }
  const refused = new ApiError({
    ...lostAnswer,
    code: 'PLUGIN_NOT_CHECKED',
    message: 'Plugin a has none. (and 1 more)',
    details: [detail, detail],
  })
  expect(errorView(refused).message).toBe('Plugin a has none. (and 1 more)')
  await changeLocale('zh')
  expect(errorView(refused).message).toMatch(/plugin-check/)
})

test('the message of a code, and why the database refuses, are translated where English comes from the response', async () => {
  const messages = () => {
    const general = { ...lostAnswer, code: 'INTERNAL_ERROR', message: 'The console failed.' }
    const away = { ...lostAnswer, code: 'SERVICE_UNAVAILABLE', ...platformMessage('databaseAway') }
    return [{ ...general, parameters: { reason: 'INTERNAL_ERROR' } }, away].map(
      (problem) => errorView(new ApiError(problem)).message,
    )
  }
  expect(messages()).toEqual(['The console failed.', platformMessage('databaseAway').message])
  await changeLocale('zh')
  expect(messages()).toEqual(['控制台出现错误。', '无法连接数据库。请稍后重试。'])
})

test('a failure that the browser reports itself has texts in both languages', async () => {
  expect(errorView(new ApiError(lostAnswer)).title).toBe('The console can’t be reached')
  await changeLocale('zh')
  expect(errorView(new ApiError(lostAnswer)).title).toMatch(/\p{Script=Han}/u)
})

test('a code has a title without a response, and an unknown code is its own title', async () => {
  expect(codeTitle('NOT_FOUND')).toBe('Not found')
  expect(codeTitle('NETWORK_LOST')).toBe('The console can’t be reached')
  expect(codeTitle('CODE_OF_A_PLUGIN')).toBe('CODE_OF_A_PLUGIN')
})

test('codes in a message are named as everywhere else in the console', async () => {
  const messages = [
    platformMessage('approvalRequired', { environment: 'production', kind: 'CONFIGURE' }),
    platformMessage('lockedByFailed', { operationType: 'UPGRADE', operationId: '1', bundle: 'crm' }),
    platformMessage('operationNotFailed', { actual: 'TAKEN_OVER' }),
    platformMessage('batchNotPaused', { actual: 'STOPPED' }),
    platformMessage('changeState', { actual: 'APPLYING' }),
    platformMessage('causeChanged', { state: 'SOLVED' }),
  ]
  const english = messages.map(messageText)
  expect(english.map((text) => text.match(/\b[A-Z_]{2,}\b/g))).toEqual(english.map(() => null))
  expect(english[0]).toContain('kind of change: configure.')
  expect(english[4]).toContain('being applied')
  const named = { operationType: 'INSTALL', operationId: '1', bundle: 'INSTALL-tools' }
  expect(messageText(platformMessage('lockedByFailed', named))).toContain(
    'The install operation 1 of bundle INSTALL-tools has failed',
  )
  await changeLocale('zh')
  for (const text of messages.map(messageText)) expect(text).not.toMatch(/[A-Z_]{2,}/)
})
