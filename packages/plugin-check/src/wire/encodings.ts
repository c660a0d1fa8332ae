/** The characters that the bytes have in Base64 after so many others, whatever comes before and after them. */
const base64Within = (bytes: Buffer, before: number, name: 'base64' | 'base64url'): string =>
  Buffer.concat([Buffer.alloc(before), bytes])
    .toString(name)
    .slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.byteLength) * 8) / 6))

/** The forms in which a secret can leave: by name of the encoding. */
export function encodingsOf(secret: string): [string, string][] {
  const bytes = Buffer.from(secret)
  return [
    ['plain', secret],
    ...(['base64', 'base64url'] as const).flatMap((name) =>
      [0, 1, 2].map((before): [string, string] => [name, base64Within(bytes, before, name)]),
    ),
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
