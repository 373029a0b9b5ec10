/**
 * Keys, one by one as they are pressed (raw mode). Input that is no terminal, a pipe, gives its
 * characters as keys as well; its end is no reason to stop, that of a terminal is. A sequence may
 * come in pieces, as over a slow connection: what begins one waits a moment for the rest.
 */
import type { Clock } from '../time/clock.ts'

/** A printable character as it is, or one of these. */
const NAMED_KEYS = [
  ...['up', 'down', 'left', 'right', 'page-up', 'page-down', 'home', 'end', 'enter', 'escape'],
  ...['tab', 'backspace', 'f5', 'ctrl-c', 'ctrl-l', 'ctrl-u', 'ctrl-z'],
] as const
export type Key = (typeof NAMED_KEYS)[number] | (string & {})

/** Standard input, or what stands for it. */
export interface KeyInput {
  readonly isTTY?: boolean
  setRawMode?(isRaw: boolean): unknown
  on(event: 'data', listener: (chunk: Buffer | string) => void): unknown
  on(event: 'end' | 'close' | 'error', listener: () => void): unknown
  off(event: 'data', listener: (chunk: Buffer | string) => void): unknown
  off(event: 'end' | 'close' | 'error', listener: () => void): unknown
  resume(): unknown
  pause(): unknown
}

interface KeyListener {
  onKey(key: Key): void
  /** Called when the terminal is gone. */
  onLost(): void
}

const ENDS = ['end', 'close', 'error'] as const
/** Time within which the rest of a sequence follows: a key that is pressed alone waits so long. */
const REST_MS = 25

export class Keyboard {
  readonly #input: KeyInput
  readonly #listener: KeyListener
  readonly #clock: Clock
  /** Decoder that keeps half a character for the next chunk. */
  readonly #decoder = new TextDecoder()
  #isOpen = false
  /** Beginning of a sequence, and what ends the wait for its rest. */
  #begun = ''
  #cancelWait = (): void => {}

  constructor(input: KeyInput, listener: KeyListener, clock: Clock) {
    this.#input = input
    this.#listener = listener
    this.#clock = clock
  }

  open(): void {
    this.#isOpen = true
    if (this.#input.isTTY) this.#input.setRawMode?.(true)
    this.#input.on('data', this.#onData)
    for (const event of ENDS) this.#input.on(event, this.#onEnd)
    this.#input.resume()
  }

  /** Ends it; a second call does nothing. */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#cancelWait()
    this.#input.off('data', this.#onData)
    for (const event of ENDS) this.#input.off(event, this.#onEnd)
    this.#input.pause()
    if (this.#input.isTTY) this.#input.setRawMode?.(false)
  }

  readonly #onData = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true })
    const all = this.#begun + text
    this.#cancelWait()
    this.#begun = UNFINISHED.exec(all)?.[0] ?? ''
    this.#tell(all.slice(0, all.length - this.#begun.length))
    if (this.#begun === '' || !this.#isOpen) return
    this.#cancelWait = this.#clock.after(REST_MS, () => {
      const isEscape = this.#begun === '\x1b'
      this.#begun = ''
      if (isEscape) this.#tell('\x1b')
    })
  }

  #tell(text: string): void {
    for (const key of keysOf(text)) {
      if (!this.#isOpen) return
      this.#listener.onKey(key)
    }
  }

  readonly #onEnd = (): void => {
    if (this.#input.isTTY) this.#listener.onLost()
  }
}

/** Sequences of xterm and its kin, in both cursor modes, of rxvt and of the Linux console. */
const SEQUENCES: Readonly<Record<string, Key>> = {
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  '\x1b[B': 'down',
  '\x1bOB': 'down',
  '\x1b[C': 'right',
  '\x1bOC': 'right',
  '\x1b[D': 'left',
  '\x1bOD': 'left',
  '\x1b[5~': 'page-up',
  '\x1b[6~': 'page-down',
  '\x1b[H': 'home',
  '\x1bOH': 'home',
  '\x1b[1~': 'home',
  '\x1b[7~': 'home',
  '\x1b[F': 'end',
  '\x1bOF': 'end',
  '\x1b[4~': 'end',
  '\x1b[8~': 'end',
  '\x1b': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x1b[15~': 'f5',
  '\x1b[[E': 'f5',
  '\x03': 'ctrl-c',
  '\x0c': 'ctrl-l',
  '\x15': 'ctrl-u',
  '\x1a': 'ctrl-z',
}

/**
 * `[CSI][parameters][intermediates][final]` of ECMA-48, with a mouse of X10 (`M` and three
 * characters) and the first five function keys of the Linux console (`[` and a letter);
 * `[SS3][letter]`; or one character.
 */
const KEY =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys are sent as controls
  /\x1b\[(?:M.{3}|\[[A-E]|[0-?]*[ -/]*[@-~])|\x1bO[0-9;]*[A-Za-z]|./gsu

/** Begin of a sequence at the end of what has come. */
const UNFINISHED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys are sent as controls
  /\x1b(?:\[(?:M.{0,2}|\[|[0-?]{0,32}[ -/]{0,4})|O[0-9;]{0,8})?$/su

/** Parameter of a key that Shift, Alt or Ctrl is held with: it is the same key here. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are sent as controls
const MODIFIER = /^(\x1b\[)(?:1(?=;\d+[A-Z])|(\d+)(?=;\d+~));\d+/u

/** Splits one chunk into keys; those that have no name here are left out. */
function keysOf(chunk: string): Key[] {
  return [...chunk.matchAll(KEY)].flatMap(([sequence]) => {
    const name = SEQUENCES[sequence.replace(MODIFIER, '$1$2')]
    if (name !== undefined) return [name]
    return sequence.length > 2 || sequence < ' ' ? [] : [sequence]
  })
}
