/** A time in the format of `datetime-local`, in the person's time zone; empty if invalid. */
export function localInput(at: string | undefined): string {
  const moment = new Date(at ?? Number.NaN)
  if (Number.isNaN(moment.getTime())) return ''
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** The value of a `datetime-local` input as a timestamp for the API. */
export function momentOfInput(text: string): string | undefined {
  const moment = new Date(text)
  return text === '' || Number.isNaN(moment.getTime()) ? undefined : moment.toISOString()
}
