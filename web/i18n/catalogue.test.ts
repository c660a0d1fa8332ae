import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PLATFORM_MESSAGES } from '#contract/protocol/platform-messages.ts'
import { codes as chineseCodes } from './zh/codes.ts'
import { codes as englishCodes } from './en/codes.ts'
import type { Message } from './messages.ts'
import { textsOf } from './testing.ts'

const english = await flat('en')
const chinese = await flat('zh')

/** Every text by its whole key; the forms of a plural one by one. */
async function flat(locale: 'en' | 'zh'): Promise<Map<string, string>> {
  const formsOf = (message: Message) =>
    typeof message === 'string'
      ? [['', message]]
      : Object.entries(message).map(([form, text]) => [form, text])
  return new Map(
    Object.entries(await textsOf(locale)).flatMap(([namespace, messages]) =>
      Object.entries(messages).flatMap(([key, message]) =>
        formsOf(message).map(([form, text]) => [`${namespace}.${key} ${form}`, text ?? ''] as const),
      ),
    ),
  )
}

const placeholdersOf = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').toSorted()

test('the catalogues say something about the same codes', () => {
  assert.deepEqual(Object.keys(chineseCodes).toSorted(), Object.keys(englishCodes).toSorted())
})

test('a Chinese text has the parameters of the English one', () => {
  for (const [key, text] of chinese)
    if (!key.startsWith('platform.'))
      assert.deepEqual(placeholdersOf(text), placeholdersOf(english.get(key) ?? ''), key)
})

test('a Chinese sentence of the platform names only what the English one names', () => {
  for (const [reason, text] of Object.entries(PLATFORM_MESSAGES)) {
    const known = new Set(placeholdersOf(text))
    const translated = chinese.get(`platform.${reason} `) ?? ''
    assert.notEqual(translated, '', reason)
    assert.deepEqual(
      placeholdersOf(translated).filter((name) => !known.has(name)),
      [],
      reason,
    )
  }
})

/** What the code puts in, in Chinese: words without a blank around them, or a duration such as `17 秒`. */
const WORDS = new Set(['type', 'stage', 'phase', 'state', 'expected', 'days', 'parts', 'retryable', 'reason'])
const DURATIONS = new Set(['time', 'wait'])
/** A moment may be `刚刚`, `17 秒前` or a date: only punctuation fits beside all of them. */
const MOMENTS = new Set(['when', 'since', 'at'])

/** The text with each parameter replaced by something that begins and ends as its values do. */
const filled = (text: string) =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (WORDS.has(name)) return '字'
    if (DURATIONS.has(name)) return '1 秒'
    return MOMENTS.has(name) ? 'MOMENT' : 'x'
  })

test('Chinese has Chinese punctuation, and a blank between Chinese and Latin or digits', () => {
  for (const [key, text] of chinese) {
    const shown = filled(text)
    assert.doesNotMatch(shown, /\p{Script=Han}\s*[,;:?!()]|[,;:?!()]\s*\p{Script=Han}/u, `${key}: ${text}`)
    assert.doesNotMatch(shown, /\p{Script=Han}[a-z0-9]|[a-z0-9]\p{Script=Han}/iu, `${key}: ${text}`)
    assert.doesNotMatch(shown, /\p{Script=Han} ?MOMENT|MOMENT ?\p{Script=Han}/u, `${key}: ${text}`)
    assert.doesNotMatch(shown, /\p{Script=Han} \p{Script=Han}/u, `${key}: ${text}`)
    assert.doesNotMatch(shown, /[，。：；？（）、“”] | [，。：；？（）、”]/u, `${key}: ${text}`)
  }
})

/** Each has a word that is used instead: see "Words on the screen" in docs/architecture.md. */
const RETIRED =
  /\b(mend|anew|whoever|somebody|asked for|by itself|ways? out|claim(s|ed)?|carried out by|meanwhile|repeats in|the answer)\b/i

test('English says what the glossary says, with typographic apostrophes', () => {
  for (const [key, text] of english) {
    assert.doesNotMatch(text, RETIRED, key)
    assert.doesNotMatch(text, /['"]/, key)
    assert.doesNotMatch(text.replaceAll(/\{\w+\}/g, ''), /\bids?\b/, key)
  }
})
