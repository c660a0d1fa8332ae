/** Words and values that are shorter occur in any text. */
const NAME_MIN = 4

const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word.length >= NAME_MIN)

/** `API_KEY`, `api key` and `apiKey` are one name. */
const joined = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '')
/** Joined, a shorter name occurs in any text too. */
const JOINED_MIN = 6

/** What stands before a word that is meant alone: in `the user name`, `name` is only a part of another one. */
const BEFORE_ALONE = 'an?|the|this|its|no|of|for|field|property|invalid|missing|wrong|unknown'

/** Whether a text has a word of a few letters as a name of its own: at the beginning, after a mark, or after a word as above. */
const standsAlone = (text: string, word: string): boolean =>
  new RegExp(
    `(?:^|[^\\p{L}\\d\\s]\\s*|(?<![\\p{L}\\d])(?:${BEFORE_ALONE})\\s+)${word}(?![\\p{L}\\d])`,
    'iu',
  ).test(text.replaceAll(/[-_]/g, ' '))

/**
 * Whether the code or the message of a plugin's failure has the name of a property or a word of it, or quotes its value.
 *
 * @param value The value, unless it is sensitive or not a text.
 */
export function namesProperty(
  { errorCode, message }: { errorCode: string; message: string },
  property: string,
  value: unknown,
): boolean {
  const isQuoted = typeof value === 'string' && value.length >= NAME_MIN && message.includes(value)
  const said = new Set([...wordsOf(errorCode), ...wordsOf(message)])
  const name = joined(property)
  const isNamed =
    name.length >= JOINED_MIN && [errorCode, message].some((text) => joined(text).includes(name))
  const words = wordsOf(property).filter((word) => said.has(word))
  return (
    isQuoted ||
    isNamed ||
    words.some((word) => word !== name || [errorCode, message].some((text) => standsAlone(text, word)))
  )
}
