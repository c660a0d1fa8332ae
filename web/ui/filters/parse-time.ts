const HALF_HOUR = 30 * 60_000
const DAYS_AGO: Readonly<Record<string, number>> = {
  today: 0,
  yesterday: 1,
  今天: 0,
  昨天: 1,
  前天: 2,
}

const DAY = /^(today|yesterday|今天|昨天|前天|\d{4}-\d{2}-\d{2}|\d{1,2}月\d{1,2}[日号])/
const TIME = /^(?:at\s+)?(凌晨|早上|上午|中午|下午|晚上)?(\d{1,2})(?:[:：点](\d{2}|半)?分?)?\s*(am|pm)?$/

/**
 * The range of time that a person means: "yesterday 14:00", "2026-11-22 2pm", "昨天下午2点半". A time is an hour around it, and a
 * day all of it; a time alone is the last one that has passed. In the person's time zone.
 *
 * @param now in milliseconds since 1970
 * @returns timestamps for the API; null if it is not understood
 */
export function parseTime(text: string, now: number): { since: string; until: string } | null {
  const words = text
    .trim()
    .toLowerCase()
    .replaceAll(/(?<=[\u4e00-\u9fff])\s+|\s+(?=[\u4e00-\u9fff])/g, '')
  const [dayWord = ''] = DAY.exec(words) ?? []
  const rest = words.slice(dayWord.length).trim()
  const day = startOfDay(dayWord, now)
  if (day === null || (dayWord === '' && rest === '')) return null
  if (rest === '') return range(day, nextDay(day))
  const minutes = minutesOf(rest)
  if (minutes === null) return null
  const at = new Date(day).setHours(0, minutes)
  const passed = dayWord === '' && at > now ? new Date(day).setHours(-24, minutes) : at
  return range(passed - HALF_HOUR, passed + HALF_HOUR)
}

function startOfDay(word: string, now: number): number | null {
  const today = new Date(now)
  const year = today.getFullYear()
  const daysAgo = word === '' ? 0 : DAYS_AGO[word]
  if (daysAgo !== undefined) return new Date(year, today.getMonth(), today.getDate() - daysAgo).getTime()
  const [first = 0, second = 0, third] = word.match(/\d+/g)?.map(Number) ?? []
  const [y, m, d] = third === undefined ? [year, first, second] : [first, second, third]
  const day = new Date(y, m - 1, d)
  // not 31 February
  return day.getMonth() === m - 1 && day.getDate() === d ? day.getTime() : null
}

/** Minutes since midnight. */
function minutesOf(text: string): number | null {
  const [, part = '', hourText = '', minuteText = '', half = ''] = TIME.exec(text) ?? []
  if (hourText === '') return null
  const hour = Number(hourText)
  const minute = minuteText === '半' ? 30 : Number(minuteText)
  const isAfternoon = half === 'pm' || part === '下午' || part === '晚上' || (part === '中午' && hour < 3)
  const isTwelve = hour === 12 && (half !== '' || part !== '')
  const hours = isTwelve
    ? half === 'am' || part === '凌晨'
      ? 0
      : 12
    : hour + (isAfternoon && hour < 12 ? 12 : 0)
  return hours < 24 && minute < 60 ? hours * 60 + minute : null
}

const nextDay = (day: number): number => new Date(day).setHours(24)

const range = (since: number, until: number) => ({
  since: new Date(since).toISOString(),
  until: new Date(until).toISOString(),
})
