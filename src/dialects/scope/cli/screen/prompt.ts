/** A line of text that is typed at the foot of the screen; while it is open, it gets every key. */
import type { Key, ScreenBuffer } from '../../../../terminal/index.ts'

export interface Question {
  /** Word before the text: `Trigger`. */
  readonly title: string
  /** Form of the text, and what it may leave out. */
  readonly hint: string
  readonly text: string
  /** Texts that Tab goes through, instead of what is typed. */
  readonly others?: readonly string[]
  /** Called with every change: a filter is to be seen while it is typed. */
  onChange?(text: string): void
  /** @returns what is wrong with the text; undefined closes the prompt */
  onEnter(text: string): string | undefined
  onCancel?(): void
}

const LENGTH_LIMIT = 500

export class Prompt {
  readonly #question: Question
  readonly #close: () => void
  #text: string
  #problem: string | undefined
  #other = -1

  constructor(question: Question, close: () => void) {
    this.#question = question
    this.#close = close
    this.#text = question.text
  }

  key(key: Key): void {
    this.#problem = undefined
    if (key === 'enter') this.#enter()
    else if (key === 'escape') {
      this.#question.onCancel?.()
      this.#close()
    } else if (key === 'backspace') this.#set([...this.#text].slice(0, -1).join(''))
    else if (key === 'ctrl-u') this.#set('')
    else if (key === 'tab') this.#takeOther()
    else if ([...key].length === 1) this.#set((this.#text + key).slice(0, LENGTH_LIMIT))
  }

  /** Draws the hint into a rule, and the text below it. */
  draw(buffer: ScreenBuffer, ruleRow: number): void {
    const { title, hint } = this.#question
    const row = ruleRow + 1
    buffer.write(ruleRow, 1, ` ${hint}; Enter takes it, Esc leaves it `)
    const after = buffer.write(row, 1, `${title}: `, 'bold')
    const room = buffer.columns - after - 2
    // the end is what is being typed
    const shown = [...this.#text].slice(-Math.max(0, room)).join('')
    const end = buffer.write(row, after, shown)
    const next = buffer.write(row, end, '█', 'cursor')
    if (this.#problem !== undefined) buffer.write(row, next + 1, `■ ${this.#problem}`, 'lost')
  }

  #enter(): void {
    this.#problem = this.#question.onEnter(this.#text)
    if (this.#problem === undefined) this.#close()
  }

  #takeOther(): void {
    const { others = [] } = this.#question
    if (others.length === 0) return
    this.#other = (this.#other + 1) % others.length
    this.#set(others[this.#other]!)
  }

  #set(text: string): void {
    this.#text = text
    this.#question.onChange?.(text)
  }
}
