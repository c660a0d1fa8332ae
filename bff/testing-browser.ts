import { request } from 'undici'

/** Sends a request with exactly these headers, including `host`, which fetch does not send. */
async function send(url: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
  const answer = await request(url, {
    method: (init.method ?? 'GET') as 'GET',
    headers: init.headers,
    body: typeof init.body === 'string' ? init.body : null,
  })
  const headers = new Headers()
  for (const [name, values] of Object.entries(answer.headers)) {
    for (const value of [values ?? []].flat()) headers.append(name, value)
  }
  const body = await answer.body.bytes()
  return new Response(body.length === 0 ? null : body, { status: answer.statusCode, headers })
}

/** More redirects than a sign-in has. */
const MAX_STEPS = 12

/** Behaves like a browser during sign-in: stores cookies by path and sends a browser's headers. */
export class TestBrowser {
  /** By name and path, because two paths may have a cookie of the same name. */
  readonly cookies = new Map<string, { name: string; value: string; path: string; attributes: string }>()
  /** The address to connect to, for a public address in front of several replicas. */
  connectTo: string | null = null
  private readonly origin: string

  constructor(origin: string) {
    this.origin = origin
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(path, this.origin)
    const cookie = [...this.cookies.values()]
      .filter(({ path: under }) => url.pathname.startsWith(under))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    const headers = {
      ...(cookie !== '' && { cookie }),
      ...(this.connectTo !== null && { host: new URL(this.origin).host }),
      ...(init.headers as Record<string, string>),
    }
    const response = await send(`${this.connectTo ?? this.origin}${url.pathname}${url.search}`, {
      ...init,
      headers,
    })
    for (const text of response.headers.getSetCookie()) this.keep(text)
    return response
  }

  /** The console's session cookie, as `name=value`; null without one. */
  get session(): string | null {
    const cookie = [...this.cookies.values()].find(({ name }) =>
      /^(?:__Host-Http-)?console_.*session$/.test(name),
    )
    return cookie === undefined ? null : `${cookie.name}=${cookie.value}`
  }

  private keep(text: string): void {
    const [pair = '', ...attributes] = text.split(/;\s*/)
    const equals = pair.indexOf('=')
    const name = pair.slice(0, equals)
    const path = attributes.find((part) => /^path=/i.test(part))?.slice(5) ?? '/'
    // not anywhere in the text: the name has the port, which may be 41970
    const isGone = attributes.some((part) => /^(?:max-age=0$|expires=Thu, 01 Jan 1970)/i.test(part))
    if (isGone) this.cookies.delete(name + path)
    else
      this.cookies.set(name + path, {
        name,
        value: pair.slice(equals + 1),
        path,
        attributes: attributes.join('; '),
      })
  }

  /**
   * Follows redirects from a path to a page, or until it is over; returns the response and the addresses visited. Throws if there are
   * too many.
   */
  async follow(path: string, isOver = () => false): Promise<{ response: Response; way: string[] }> {
    const way = [path]
    for (let next = path; way.length <= MAX_STEPS; way.push(next)) {
      const response = await this.request(next)
      const location = response.headers.get('location')
      if (location === null || isOver()) return { response, way }
      next = new URL(location, this.origin).href
    }
    throw new Error(`There are more than ${MAX_STEPS} redirects: ${way.join(' → ')}`)
  }

  /** Sends a request as the console's scripts do. */
  api(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = {
      'x-requested-by': 'console',
      'sec-fetch-site': 'same-origin',
      'sec-fetch-dest': 'empty',
    }
    return this.request(path, {
      ...init,
      headers: { ...headers, ...(init.headers as Record<string, string>) },
    })
  }

  /** Starts a sign-in and returns the address of the form. */
  async openForm(returnTo = '/'): Promise<string> {
    const { way } = await this.follow(`/auth/login?returnTo=${encodeURIComponent(returnTo)}`)
    return way.at(-1) ?? ''
  }

  submit(
    form: string,
    username: string,
    password: string,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return this.request(form, {
      method: 'POST',
      body: new URLSearchParams({ username, password }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: this.origin, ...headers },
    })
  }

  /** Completes a sign-in; returns the final response. */
  async signIn(
    username: string,
    password: string,
    returnTo = '/',
  ): Promise<{ response: Response; way: string[] }> {
    const form = await this.openForm(returnTo)
    const submitted = await this.submit(form, username, password)
    const location = submitted.headers.get('location')
    if (location === null) return { response: submitted, way: [form] }
    return this.follow(location)
  }
}

/** Signs in to a console with its own provider. Returns the session cookie; throws if there is none. */
export async function sessionCookie(
  origin: string,
  { username, password }: { username: string; password: string },
): Promise<string> {
  const browser = new TestBrowser(origin)
  let response = await browser.submit(await browser.openForm(), username, password)
  const location = response.headers.get('location')
  // no further: the page after the sign-in would read data for the person
  if (location !== null && browser.session === null)
    ({ response } = await browser.follow(location, () => browser.session !== null))
  if (browser.session === null)
    throw new Error(`Sign-in created no session (${response.status}): ${textOf(await response.text())}`)
  return browser.session
}

/** What a person reads on a page of the sign-in. */
const textOf = (page: string): string =>
  page
    .replaceAll(/<(style|script)[^]*?<\/\1>|<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
