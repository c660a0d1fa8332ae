import type { Placeholders } from '#contract/protocol/messages.ts'

/**
 * A text is a string with `{placeholders}`, or plural forms of one that are chosen by `{n}`.
 * English defines the keys; the compiler ensures that other languages have the same ones.
 */
export type PluralForms = { readonly one?: string; readonly other: string }
export type Message = string | PluralForms
export type Messages = Readonly<Record<string, Message>>

/** The type of another language's texts: every key, with a plural wherever English has one. */
export type Translated<Source extends Messages> = {
  readonly [Key in keyof Source]: Source[Key] extends string ? string : PluralForms
}

type NamesOf<Value> = Value extends string
  ? Placeholders<Value>
  : Value extends { readonly other: infer Other extends string }
    ? Placeholders<Other> | 'n'
    : never

/** The parameters of a text; `n` is a number, formatted for the locale. */
export type ParametersOf<Value, Part = string | number> = {
  [Name in NamesOf<Value>]: Name extends 'n' ? number : Part
}

export type ArgumentsOf<Value, Part = string | number> = [NamesOf<Value>] extends [never]
  ? []
  : [parameters: ParametersOf<Value, Part>]

/** How a language writes numbers and dates. */
export interface Formats {
  /** For `Intl`, where it formats what is not in this table. */
  tag: string
  groupSeparator: string
  decimalSeparator: string
  /** From how many digits on a number has groups: 4 in `1,234`; in Spanish `1234` has none, but `12.345` has. */
  smallestGrouped: number
  /** `21 Nov`; the month from 1. */
  day: (day: number, month: number) => string
  /** `21 Nov 2026`, from a day. */
  dayOfYear: (day: string, year: number) => string
  /** `21 Nov, 14:03`, from a date and a time. */
  moment: (date: string, time: string) => string
}

const PLACEHOLDER = /\{(\w+)\}/

/** The text split at its placeholders: text at even positions, names at odd ones. */
export function cut(text: string): string[] {
  return text.split(PLACEHOLDER)
}

export function choose(message: Message, n: unknown, rules: Intl.PluralRules): string {
  if (typeof message === 'string') return message
  return rules.select(Number(n)) === 'one' ? (message.one ?? message.other) : message.other
}
