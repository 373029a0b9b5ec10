/**
 * Keys, one by one as they are pressed (raw mode). Input that is no terminal, a pipe, gives its
 * characters as keys as well; its end is no reason to stop, that of a terminal is.
 */

/** A printable character as it is, or one of these. */
const NAMED_KEYS = [
  ...['up', 'down', 'page-up', 'page-down', 'home', 'end', 'enter', 'escape', 'ctrl-c'],
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

export class Keyboard {
  readonly #input: KeyInput
  readonly #listener: KeyListener
  #isOpen = false

  constructor(input: KeyInput, listener: KeyListener) {
    this.#input = input
    this.#listener = listener
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
    this.#input.off('data', this.#onData)
    for (const event of ENDS) this.#input.off(event, this.#onEnd)
    this.#input.pause()
    if (this.#input.isTTY) this.#input.setRawMode?.(false)
  }

  readonly #onData = (chunk: Buffer | string): void => {
    for (const key of keysOf(chunk.toString())) {
      if (!this.#isOpen) return
      this.#listener.onKey(key)
    }
  }

  readonly #onEnd = (): void => {
    if (this.#input.isTTY) this.#listener.onLost()
  }
}

/** Sequences of xterm and its kin, in both cursor modes. */
const SEQUENCES: Readonly<Record<string, Key>> = {
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  '\x1b[B': 'down',
  '\x1bOB': 'down',
  '\x1b[5~': 'page-up',
  '\x1b[6~': 'page-down',
  '\x1b[H': 'home',
  '\x1bOH': 'home',
  '\x1b[1~': 'home',
  '\x1b[F': 'end',
  '\x1bOF': 'end',
  '\x1b[4~': 'end',
  '\x1b': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\x03': 'ctrl-c',
}

/** `[CSI][parameters][final]`, `[SS3][letter]`, or one character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are sent as controls
const KEY = /\x1b\[[0-9;?]*[@-~]|\x1bO[A-Z]|./gsu

/** Splits one chunk into keys; those that have no name here are left out. */
function keysOf(chunk: string): Key[] {
  return [...chunk.matchAll(KEY)].flatMap(([sequence]) => {
    const name = SEQUENCES[sequence]
    if (name !== undefined) return [name]
    return sequence.length > 2 || sequence < ' ' || sequence === '\x7f' ? [] : [sequence]
  })
}
