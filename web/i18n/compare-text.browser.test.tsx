import { afterEach, expect, test } from 'vitest'
import { compareText } from './compare-text.ts'
import { changeLocale } from './locale.ts'

afterEach(() => changeLocale('en'))

test('texts are sorted without regard to case and accents, with numbers by value', () => {
  const sorted = ['a1', 'a12b', 'Élan', 'elf', 'mailbox', 'Mailbox 2', 'Mailbox 10', 'v1.9.12', 'v1.10.2']
  expect(sorted.toReversed().toSorted(compareText)).toEqual(sorted)
})

test('texts are sorted by the language of the console, not by that of the browser', async () => {
  const names = ['Alpha', '重庆', '北京', '安全']
  expect(names.toSorted(compareText)[0]).toBe('Alpha')
  await changeLocale('zh')
  expect(names.toSorted(compareText)).toEqual(['安全', '北京', '重庆', 'Alpha'])
})
