// The engine is compiled without the types of Node and of the browser, so that it cannot do I/O. These are the parts of
// the web platform that it uses; every runtime has them.

declare class TextEncoder {
  encode(text: string): Uint8Array
}

declare class TextDecoder {
  constructor(label?: 'utf-8', options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes: Uint8Array): string
}

declare class URL {
  static parse(text: string, base?: string): URL | null
  readonly protocol: string
  readonly origin: string
  readonly hostname: string
  readonly pathname: string
}
