// What a person types into the search of operations: words, and when it was. Both languages of the console are read, whichever
// the person uses.

/** A search text, taken apart. */
export interface Sentence {
  /** What is looked for, without words that say nothing. At most 8; of a text of such words only, these. */
  words: string[]
  /** The part of the text that says when, as it was typed. */
  phrase?: string
  /** When it says that it was, in UTC with milliseconds; `until` is not included. */
  since?: string
  until?: string
}

export const SENTENCE_WORDS_MAX = 8

/**
 * Takes a search text apart. Days begin at midnight in the time zone, and weeks on Monday; a day of the week is the last one
 * before today. A text in quotes says no time.
 *
 * @param now in milliseconds since 1970.
 * @param timeZone of the IANA database; one that is unknown counts as UTC.
 */
export function readSentence(text: string, { now, timeZone }: { now: number; timeZone: string }): Sentence {
  for (const { pattern, read } of PHRASES) {
    const found = pattern.exec(text)
    if (found === null) continue
    const days = (back: number): string => startOfDay(now, back, timeZone)
    const span = read(found.groups ?? {}, { days, weekday: weekdayOf(now, timeZone), now })
    if (span === null) continue
    const rest = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`
    return { words: wordsOf(rest), phrase: found[0].trim(), ...span }
  }
  return { words: wordsOf(text) }
}

type Span = Pick<Sentence, 'since' | 'until'>
interface Today {
  /** The midnight that many days before today's. */
  days: (back: number) => string
  /** From 0 for Monday. */
  weekday: number
  now: number
}
type Groups = Record<string, string | undefined>
interface Phrase {
  pattern: RegExp
  read: (groups: Groups, today: Today) => Span | null
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const CHINESE_WEEKDAYS = '一二三四五六日'
const NUMBERS: Record<string, number> = { a: 1, an: 1, one: 1, two: 2, three: 3, few: 3 }
const CHINESE_NUMBERS = '一两三四五六七八九十'
const UNITS_MS: Record<string, number> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  分钟: 60_000,
  小时: 3_600_000,
  天: 86_400_000,
  周: 7 * 86_400_000,
}
/** What stands before and after a phrase of English words: not the letters of another word, and no quotes. */
const english = (pattern: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}"'-])(?:${pattern})(?![\\p{L}\\p{N}"'-])`, 'iu')
const chinese = (pattern: string) => new RegExp(`(?<!["“])(?:${pattern})(?!["”])`, 'u')

const WEEKDAY = `(?<weekday>${WEEKDAYS.join('|')})`
const ZH_WEEKDAY = `(?:周|星期|礼拜)(?<weekday>[${CHINESE_WEEKDAYS}天])`
const ZH_SINCE = '(?:以来|之后|以后|开始|起)'

const PHRASES: readonly Phrase[] = [
  {
    pattern: english(`since ${WEEKDAY}`),
    read: ({ weekday }, today) => ({ since: today.days(daysSince(weekday, today)) }),
  },
  {
    pattern: english(`before ${WEEKDAY}`),
    read: ({ weekday }, today) => ({ until: today.days(daysSince(weekday, today)) }),
  },
  {
    pattern: english(`(?:on|last) ${WEEKDAY}`),
    read: ({ weekday }, today) => oneDay(daysSince(weekday, today), today),
  },
  { pattern: english('since yesterday'), read: (_, { days }) => ({ since: days(1) }) },
  { pattern: english('(?:since )?today'), read: (_, { days }) => ({ since: days(0) }) },
  { pattern: english('yesterday'), read: (_, today) => oneDay(1, today) },
  { pattern: english('(?:since )?this week'), read: (_, { days, weekday }) => ({ since: days(weekday) }) },
  { pattern: english('since last week'), read: (_, { days, weekday }) => ({ since: days(weekday + 7) }) },
  {
    pattern: english('last week'),
    read: (_, { days, weekday }) => ({ since: days(weekday + 7), until: days(weekday) }),
  },
  {
    pattern: english('(?:since|on) (?<date>\\d{4}-\\d\\d-\\d\\d)'),
    read: ({ date = '' }, { days, now }) => {
      // by whole days, as a day of the calendar has no fixed length
      const back = Math.round((Date.parse(days(0).slice(0, 10)) - Date.parse(date)) / 86_400_000)
      return Number.isNaN(back) || Date.parse(date) > now ? null : nearDay(date, back, days)
    },
  },
  {
    pattern: english(
      '(?:in the |since the )?(?:last|past) (?:(?<count>\\d{1,4}|few|two|three) )?(?<unit>minute|hour|day|week)s?',
    ),
    read: ({ count = 'one', unit }, today) => lasting(count, unit, today),
  },
  {
    pattern: english(
      '(?:since )?(?<count>\\d{1,4}|an?|one|two|three|few) (?<unit>minute|hour|day|week)s? ago',
    ),
    read: ({ count = 'one', unit }, today) => lasting(count, unit, today),
  },
  {
    pattern: chinese(`[自从]?上${ZH_WEEKDAY}${ZH_SINCE}`),
    read: ({ weekday }, today) => ({ since: today.days(inLastWeek(weekday, today)) }),
  },
  {
    pattern: chinese(`上${ZH_WEEKDAY}`),
    read: ({ weekday }, today) => oneDay(inLastWeek(weekday, today), today),
  },
  {
    pattern: chinese(`(?:[自从]${ZH_WEEKDAY}${ZH_SINCE}?)`),
    read: ({ weekday }, today) => ({ since: today.days(daysSince(weekday, today)) }),
  },
  {
    pattern: chinese(`${ZH_WEEKDAY}${ZH_SINCE}`),
    read: ({ weekday }, today) => ({ since: today.days(daysSince(weekday, today)) }),
  },
  {
    pattern: chinese(`${ZH_WEEKDAY}(?:之前|以前)`),
    read: ({ weekday }, today) => ({ until: today.days(daysSince(weekday, today)) }),
  },
  { pattern: chinese(ZH_WEEKDAY), read: ({ weekday }, today) => oneDay(daysSince(weekday, today), today) },
  {
    pattern: chinese(`[自从]昨[天日]${ZH_SINCE}?|昨[天日]${ZH_SINCE}`),
    read: (_, { days }) => ({ since: days(1) }),
  },
  { pattern: chinese('昨[天日]'), read: (_, today) => oneDay(1, today) },
  { pattern: chinese('前天'), read: (_, today) => oneDay(2, today) },
  { pattern: chinese(`[自从]?今[天日]${ZH_SINCE}?`), read: (_, { days }) => ({ since: days(0) }) },
  { pattern: chinese('(?:本|这)(?:周|星期)'), read: (_, { days, weekday }) => ({ since: days(weekday) }) },
  {
    pattern: chinese(`[自从]?上(?:周|星期)${ZH_SINCE}`),
    read: (_, { days, weekday }) => ({ since: days(weekday + 7) }),
  },
  {
    pattern: chinese('上(?:周|星期)'),
    read: (_, { days, weekday }) => ({ since: days(weekday + 7), until: days(weekday) }),
  },
  {
    pattern: chinese(
      `(?:最近|过去|近)的?(?<count>\\d{1,4}|[${CHINESE_NUMBERS}]) ?个?(?<unit>分钟|小时|天|周)内?`,
    ),
    read: ({ count = '', unit }, today) => lasting(count, unit, today),
  },
  {
    pattern: chinese(`(?<count>\\d{1,4}|[${CHINESE_NUMBERS}]) ?个?(?<unit>分钟|小时|天|周)(?:以?内|以?来)`),
    read: ({ count = '', unit }, today) => lasting(count, unit, today),
  },
]

const oneDay = (back: number, { days }: Today): Span => ({ since: days(back), until: days(back - 1) })

/** How many days ago the day of the week was last, before today. */
function daysSince(name: string | undefined, { weekday }: Today): number {
  return ((weekday - weekdayNumber(name) + 6) % 7) + 1
}

const inLastWeek = (name: string | undefined, { weekday }: Today): number => weekday + 7 - weekdayNumber(name)

function weekdayNumber(name = ''): number {
  const english = WEEKDAYS.indexOf(name.toLowerCase())
  return english === -1 ? CHINESE_WEEKDAYS.indexOf(name.replace('天', '日')) : english
}

function lasting(count: string, unit = '', { now }: Today): Span | null {
  const number = NUMBERS[count.toLowerCase()] ?? chineseNumber(count) ?? Number(count)
  const ms = number * (UNITS_MS[unit.toLowerCase()] ?? NaN)
  // to the minute, so that a page and its counts are about the same time
  return ms > 0 ? { since: new Date(Math.floor((now - ms) / 60_000) * 60_000).toISOString() } : null
}

function chineseNumber(count: string): number | null {
  const at = CHINESE_NUMBERS.indexOf(count)
  return at === -1 ? null : at + 1
}

/** `days` counts from today's midnight in its own zone, which may lie on the other side of midnight in UTC. */
function nearDay(date: string, back: number, days: (back: number) => string): Span {
  const wanted = Date.parse(date)
  const [nearest = back] = [back - 1, back, back + 1].toSorted(
    (one, other) => Math.abs(Date.parse(days(one)) - wanted) - Math.abs(Date.parse(days(other)) - wanted),
  )
  return { since: days(nearest) }
}

/** A date whose UTC fields are those of the local time in the zone. */
const localDate = (at: number, timeZone: string): Date => new Date(at + offsetAt(at, timeZone))

const weekdayOf = (now: number, timeZone: string): number => (localDate(now, timeZone).getUTCDay() + 6) % 7

/** The midnight that many days before today's, in the zone. Where the clock skips it, the first moment of the day. */
function startOfDay(now: number, back: number, timeZone: string): string {
  const today = localDate(now, timeZone)
  const local = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() - back)
  // the offset at midnight may be another one than at the guess
  const guess = local - offsetAt(local, timeZone)
  return new Date(local - offsetAt(guess, timeZone)).toISOString()
}

/** How far the local time is ahead of UTC, in milliseconds. */
function offsetAt(at: number, timeZone: string): number {
  const second = Math.floor(at / 1000) * 1000
  // the fields of `sv` are written like ISO 8601
  return Date.parse(`${formatOf(timeZone).format(second).replace(' ', 'T')}Z`) - second
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const options = { dateStyle: 'short', timeStyle: 'medium' } as const
  try {
    return new Intl.DateTimeFormat('sv', { ...options, timeZone })
  } catch {
    return new Intl.DateTimeFormat('sv', { ...options, timeZone: 'UTC' })
  }
}

const STOP_WORDS = new Set(
  (
    'a an the is are was were be been am do does did don’t doesn’t didn’t can can’t cannot could couldn’t will won’t would ' +
    'isn’t aren’t wasn’t weren’t has have had hasn’t haven’t not no in on at of to for from by with or and but if it its ' +
    'it’s this that these those i we my our your their they he she you me us them go goes going gone went get gets got ' +
    'out up any all anymore when why what who which how there here since before after because so than then too very ' +
    'just about into please'
  ).split(' '),
)
const CHINESE_STOP_WORDS = new Set(
  '的 了 是 在 不 没 没有 和 与 就 也 都 而 及 或 我 我们 你 他 它 这 那 这个 那个 有 吗 呢 吧 啊 着 过 被 把 给 对 从 到 为什么 怎么 什么 不能 无法 出去 出来 不出 不出去 不了 不到'.split(
    ' ',
  ),
)

const CHINESE = /[\u3040-\u30FF\u3400-\u9FFF\uF900-\uFAFF]+/u
/** A run of Chinese characters that is not longer is searched for as it is. */
const CHINESE_WORD_MAX = 4

function wordsOf(text: string): string[] {
  const all = text.split(/\s+/u).flatMap((word) => (isLongChinese(word) ? splitChinese(word) : [word]))
  const words = all.filter((word) => /[\p{L}\p{N}]/u.test(word))
  const telling = words.filter((word) => !isStopWord(word))
  const different = new Map<string, string>()
  for (const word of telling.length > 0 ? telling : words)
    if (!different.has(word.toLowerCase())) different.set(word.toLowerCase(), word)
  return [...different.values()].slice(0, SENTENCE_WORDS_MAX)
}

const isStopWord = (word: string): boolean =>
  STOP_WORDS.has(
    word
      .toLowerCase()
      .replaceAll("'", '’')
      .replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''),
  ) || CHINESE_STOP_WORDS.has(word)

const isLongChinese = (word: string): boolean =>
  word.split(/[^\u3040-\u30FF\u3400-\u9FFF\uF900-\uFAFF]+/u).some((run) => run.length > CHINESE_WORD_MAX)

/**
 * Chinese has no spaces between its words, which a dictionary finds. Characters in a row of which it knows no word are one: they
 * are often a technical term.
 */
function splitChinese(text: string): string[] {
  const words: string[] = []
  let unknown = ''
  const end = () => {
    if ([...unknown].length > 1 && !isStopWord(unknown)) words.push(unknown)
    unknown = ''
  }
  for (const part of text.split(new RegExp(`(${CHINESE.source})`, 'u'))) {
    if (!CHINESE.test(part)) {
      end()
      words.push(part)
      continue
    }
    for (const { segment } of new Intl.Segmenter('zh', { granularity: 'word' }).segment(part)) {
      const isKnown = [...segment].length > 1
      if (isKnown || isStopWord(segment)) end()
      if (isKnown) words.push(segment)
      else if (!isStopWord(segment)) unknown += segment
    }
  }
  end()
  return words
}
