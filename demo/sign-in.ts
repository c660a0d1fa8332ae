/** More redirects and forms than a sign-in has. */
const MAX_STEPS = 12

/** Signs in with plain requests, like a browser without scripts. Returns the session cookie; throws if there is none. */
export async function sessionCookie(
  url: string,
  user: { username: string; password: string },
): Promise<string> {
  const jar = new Map<string, string>()
  const send = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(new URL(address, url), {
      ...init,
      redirect: 'manual',
      headers: { ...init.headers, cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split(';')
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      // not anywhere in the text: the name has the port, which may be 41970
      const isGone = attributes.some((text) => /^ *(?:max-age=0$|expires=Thu, 01 Jan 1970)/i.test(text))
      if (value === '' || isGone) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  let response = await send('/auth/login')
  for (let step = 0; step < MAX_STEPS; step++) {
    const location = response.headers.get('location')
    if (location !== null) {
      if (new URL(location, url).pathname === '/') break
      response = await send(location)
      continue
    }
    const page = await response.text()
    const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1]
    if (action === undefined)
      throw new Error(`Sign-in stopped at a page without a form (${response.status}): ${textOf(page)}`)
    const hidden = [...page.matchAll(/<input[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)]
    const form = new URLSearchParams(
      hidden.map(([, name = '', value = '']): [string, string] => [name, value]),
    )
    form.set('username', user.username)
    form.set('password', user.password)
    response = await send(action.replaceAll('&amp;', '&'), {
      method: 'POST',
      body: form,
      headers: { origin: url, 'sec-fetch-site': 'same-origin' },
    })
  }
  const session = [...jar].find(([name]) => /session/i.test(name) && !/idp/i.test(name))
  if (session === undefined) throw new Error('Sign-in created no session')
  return `${session[0]}=${session[1]}`
}

/** What a person reads on a page of the sign-in. */
const textOf = (page: string): string =>
  page
    .replaceAll(/<(style|script)[^]*?<\/\1>|<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
