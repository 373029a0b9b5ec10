/**
 * The one platform API that pure folders may use: text encoding exists in every JavaScript runtime,
 * but in none of the language's own libraries. Only tsconfig.pure.json reads this file.
 */
declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>
  encodeInto(text: string, target: Uint8Array): { read: number; written: number }
}

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes?: Uint8Array): string
}
