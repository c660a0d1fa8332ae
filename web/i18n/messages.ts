/**
 * A text is a string with `{placeholders}`, or plural forms of one that are chosen by `{n}`.
 * English names the keys; the other languages must have the same ones, which the compiler sees to.
 */
export type PluralForms = { readonly one?: string; readonly other: string }
export type Message = string | PluralForms
export type Messages = Readonly<Record<string, Message>>

/** What another language must say: every key, with a plural wherever English has one. */
export type Translated<Source extends Messages> = {
  readonly [Key in keyof Source]: Source[Key] extends string ? string : PluralForms
}

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

type NamesOf<Value> = Value extends string
  ? Placeholders<Value>
  : Value extends { readonly other: infer Other extends string }
    ? Placeholders<Other> | 'n'
    : never

/** The parameters that a text asks for; `n` is a number and is written as the locale writes numbers. */
export type ParametersOf<Value, Part = string | number> = {
  [Name in NamesOf<Value>]: Name extends 'n' ? number : Part
}

export type ArgumentsOf<Value, Part = string | number> = [NamesOf<Value>] extends [never]
  ? []
  : [parameters: ParametersOf<Value, Part>]

const PLACEHOLDER = /\{(\w+)\}/

/** The text cut at its placeholders: words at even places, names at odd ones. */
export function cut(text: string): string[] {
  return text.split(PLACEHOLDER)
}

export function choose(message: Message, n: unknown, rules: Intl.PluralRules): string {
  if (typeof message === 'string') return message
  return rules.select(Number(n)) === 'one' ? (message.one ?? message.other) : message.other
}
