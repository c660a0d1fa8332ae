/** The forms in which a secret can leave: by name of the encoding. */
export function encodingsOf(secret: string): [string, string][] {
  const bytes = Buffer.from(secret)
  return [
    ['plain', secret],
    ['base64', bytes.toString('base64').replace(/=+$/, '')],
    ['base64url', bytes.toString('base64url')],
    ['hex', bytes.toString('hex')],
    ['upper-case hex', bytes.toString('hex').toUpperCase()],
    ['percent', [...bytes].map((byte) => `%${byte.toString(16).toUpperCase()}`).join('')],
    ['reversed', [...secret].reverse().join('')],
    [
      'JSON escapes',
      [...secret].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    ],
  ]
}
