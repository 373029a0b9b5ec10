/** Texts below the flags of a command's `--help`. */

import type { Example, Examples } from '../dialects/command-line.ts'
import type { Guest } from '../dialects/guest.ts'

/** Columns of a paragraph, as in this file. */
const WIDTH = 100

/** Composes the examples of a command: its own lines, then those of the guests. */
export function examplesText(
  guests: readonly Guest[],
  command: keyof Examples,
  own: readonly Example[] = [],
): string {
  const examples = [...own, ...guests.flatMap((guest) => guest.examples?.[command] ?? [])]
  const lineOf = (example: Example): string => (typeof example === 'string' ? example : example[0])
  const width = Math.max(...examples.map((example) => lineOf(example).length))
  const lines = examples.map((example) =>
    typeof example === 'string'
      ? `  $ ${example}`
      : `  $ ${example[0].padEnd(width)}   ${example[1]}`,
  )
  return ['Examples:', ...lines].join('\n')
}

/** Breaks sentences into lines. */
export function paragraph(sentences: readonly string[]): string {
  const lines = ['']
  for (const word of sentences.join(' ').split(' ')) {
    const line = lines.at(-1)!
    if (line.length + word.length >= WIDTH) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join('\n')
}
