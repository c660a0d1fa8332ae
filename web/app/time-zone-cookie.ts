const COOKIE = 'console_zone'

/** Tells the console's server the time zone in which it has to render pages (`bff/document/navigation.ts`). */
export function storeTimeZone(): void {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  document.cookie = `${COOKIE}=${timeZone}; Path=/; Max-Age=31536000; SameSite=Lax`
}
