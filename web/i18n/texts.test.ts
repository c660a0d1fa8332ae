import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LANGUAGES } from '#contract/protocol/languages.ts'
import type { Language } from '#contract/protocol/languages.ts'
import { PLATFORM_MESSAGES } from '#contract/protocol/platform-messages.ts'
import { loadLanguage } from './texts.ts'
import type { Message } from './messages.ts'

const english = await flat('en')
const chinese = await flat('zh')
const TRANSLATIONS = LANGUAGES.filter((language) => language !== 'en')

/** Every text by its full key; each plural form separately. */
async function flat(language: Language): Promise<Map<string, string>> {
  const formsOf = (message: Message) =>
    typeof message === 'string'
      ? [['', message]]
      : Object.entries(message).map(([form, text]) => [form, text])
  return new Map(
    Object.entries((await loadLanguage(language)).texts).flatMap(([namespace, messages]) =>
      Object.entries<Message>(messages).flatMap(([key, message]) =>
        formsOf(message).map(([form, text]) => [`${namespace}.${key} ${form}`, text ?? ''] as const),
      ),
    ),
  )
}

const placeholdersOf = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').toSorted()

for (const language of TRANSLATIONS) {
  const translated = await flat(language)

  test(`the texts in ${language} are for the same codes as the English ones`, () => {
    const codesOf = (texts: ReadonlyMap<string, string>) =>
      [...texts.keys()].filter((key) => key.startsWith('codeTitles.')).toSorted()
    assert.notEqual(codesOf(english).length, 0)
    assert.deepEqual(codesOf(translated), codesOf(english))
  })

  test(`a text in ${language} has the parameters of the English one`, () => {
    for (const [key, text] of translated)
      if (!key.startsWith('platform.'))
        assert.deepEqual(placeholdersOf(text), placeholdersOf(english.get(key) ?? ''), key)
  })

  test(`a sentence of the platform in ${language} names only what the English one names`, () => {
    for (const [reason, text] of Object.entries(PLATFORM_MESSAGES)) {
      const known = new Set(placeholdersOf(text))
      const sentence = translated.get(`platform.${reason} `) ?? ''
      assert.notEqual(sentence, '', reason)
      assert.deepEqual(
        placeholdersOf(sentence).filter((name) => !known.has(name)),
        [],
        reason,
      )
    }
  })
}

/** Parameter values in Chinese: words without spaces around them, or a duration such as `17 秒`. */
const WORDS = new Set([
  'type',
  'operationType',
  'actor',
  'action',
  'stage',
  'phase',
  'state',
  'actual',
  'expected',
  'dateOfYear',
  'days',
  'parts',
  'what',
  'reason',
])
const DURATIONS = new Set(['time', 'wait'])
/** A time may be `刚刚`, `17 秒前` or a date: only punctuation is correct beside all of them. */
const MOMENTS = new Set(['when', 'since', 'at'])

/** The text with each parameter replaced by a sample that starts and ends like its values. */
const filled = (text: string) =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (WORDS.has(name)) return '字'
    if (DURATIONS.has(name)) return '1 秒'
    return MOMENTS.has(name) ? 'MOMENT' : 'x'
  })

test('Chinese has Chinese punctuation, and a space between Chinese and Latin or digits', () => {
  for (const [key, text] of chinese) {
    const shown = filled(text)
    assert.doesNotMatch(shown, /\p{Script=Han}\s*[,;:?!()]|[,;:?!()]\s*\p{Script=Han}/u, `${key}: ${text}`)
    assert.doesNotMatch(shown, /\p{Script=Han}[a-z0-9]|[a-z0-9]\p{Script=Han}/iu, `${key}: ${text}`)
    assert.doesNotMatch(shown, /\p{Script=Han} ?MOMENT|MOMENT ?\p{Script=Han}/u, `${key}: ${text}`)
    assert.doesNotMatch(shown, /\p{Script=Han} \p{Script=Han}/u, `${key}: ${text}`)
    assert.doesNotMatch(shown, /[，。：；？（）、“”] | [，。：；？（）、”]/u, `${key}: ${text}`)
  }
})

/** Each has a replacement, in addition to those of cspell: see docs/console.md#words-on-the-screen. */
const RETIRED =
  /\b(somebody|everybody|asked for|claim(s|ed)?|carried out by|meanwhile|repeats in|the answer|for ever|any more|may (not )?see|back in time|line ends?|white space|time line|time limit)\b/i

test('English follows the glossary, with typographic apostrophes', () => {
  for (const [key, text] of english) {
    assert.doesNotMatch(text, RETIRED, key)
    assert.doesNotMatch(text, /['"]/, key)
    assert.doesNotMatch(text.replaceAll(/\{\w+\}/g, ''), /\bids?\b/, key)
  }
})
