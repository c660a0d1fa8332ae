/** A moment as `datetime-local` writes it, in the person's zone; nothing for what is no moment. */
export function localInput(at: string | undefined): string {
  const moment = new Date(at ?? Number.NaN)
  if (Number.isNaN(moment.getTime())) return ''
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** What was typed, as the moment that the API takes. */
export function momentOfInput(text: string): string | undefined {
  const moment = new Date(text)
  return text === '' || Number.isNaN(moment.getTime()) ? undefined : moment.toISOString()
}
