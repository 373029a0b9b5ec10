/** The files of this folder that ask a question. */
import { readdirSync } from 'node:fs'

/** `p1-tcp-text.ts`: the number in the table of wanted ratios, and the subject. */
const FILE = /^(p(\d+)-[a-z-]+)\.ts$/

/** Lists their names without the ending, in the order of their numbers. */
export function findQuestions(): string[] {
  return readdirSync(import.meta.dirname)
    .map((file) => FILE.exec(file))
    .filter((match) => match !== null)
    .sort((a, b) => Number(a[2]) - Number(b[2]) || (a[1]! < b[1]! ? -1 : 1))
    .map((match) => match[1]!)
}
